// Builds the pages.
//   node build.mjs player OUTPUT.html    one HTML file with script and style inside
//   node build.mjs studio FOLDER         index.html, scripts, styles and pictures as files, and FOLDER/manifest.txt with a
//                                        line for each: path, content type, "gzip" or "plain", file
//   node build.mjs studio-test FOLDER    the same page with what the tests look at (test/main.ts)
import { svelte, vitePreprocess } from '@sveltejs/vite-plugin-svelte'
import { createHash } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'

const [, , page, output] = process.argv
const here = fileURLToPath(new URL('.', import.meta.url))
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.webp': 'image/webp',
}

async function bundle(input, plugins, options, rollupOutput) {
  const bundled = await build({
    root: here,
    base: '/',
    configFile: false,
    logLevel: 'warn',
    plugins,
    esbuild: { legalComments: 'eof', charset: 'utf8' },
    build: {
      write: false,
      target: 'es2022',
      modulePreload: false,
      chunkSizeWarningLimit: 4000,
      rollupOptions: { input, output: rollupOutput },
      ...options,
    },
  })
  return [bundled].flat().flatMap((result) => result.output)
}

/** Names of the npm packages in the outputs, for the notices of their licences (tools/notices.py). */
async function writePackages(file, outputs) {
  const names = outputs
    .flatMap((part) => Object.keys(part.modules ?? {}))
    .filter((id) => id.includes('node_modules/'))
    .map(
      (id) =>
        id
          .split('node_modules/')
          .at(-1)
          .match(/^(?:@[^/]+\/)?[^/]+/)?.[0],
    )
    .filter((name, index, all) => name && all.indexOf(name) === index)
  await writeFile(file, JSON.stringify(names.sort()) + '\n')
}

async function buildPlayer(file) {
  const folder = path.join(here, 'src/player')
  const outputs = await bundle(path.join(folder, 'main.ts'), [], { cssCodeSplit: false }, { format: 'iife' })
  // Text of a script element must not contain its own end.
  const script = outputs
    .find((part) => part.type === 'chunk')
    .code.replaceAll('</script', '<\\/script')
    .replaceAll('<!--', '<\\!--')
  const style = outputs.find((part) => part.fileName.endsWith('.css')).source
  const hash = createHash('sha256').update(script).digest('base64')
  const text = (await readFile(path.join(folder, 'index.html'), 'utf8'))
    .replace('/*style*/', () => style)
    .replace('/*hash*/', () => `'sha256-${hash}'`)
    .replace('/*script*/', () => script)
  await writeFile(file, text)
  await writePackages(`${file}.packages.json`, outputs)
}

/** The page with links to what it needs at once; the rest is loaded when it is first used. */
async function studioIndex(outputs) {
  const chunks = new Map(outputs.map((part) => [part.fileName, part]))
  const entry = outputs.find((part) => part.type === 'chunk' && part.isEntry)
  const first = new Set([entry.fileName])
  for (const name of first) for (const needed of chunks.get(name).imports) first.add(needed)
  const styles = [...first].flatMap((name) => [...(chunks.get(name).viteMetadata?.importedCss ?? [])])
  const links = [
    ...styles.map((name) => `<link rel="stylesheet" href="/${name}">`),
    ...[...first].slice(1).map((name) => `<link rel="modulepreload" href="/${name}">`),
    `<script type="module" src="/${entry.fileName}"></script>`,
  ]
  return (await readFile(path.join(here, 'src/studio/index.html'), 'utf8')).replace('<!--links-->', links.join('\n'))
}

async function buildStudio(folder, input) {
  const outputs = await bundle(
    path.join(here, input),
    [svelte({ configFile: false, preprocess: vitePreprocess() })],
    { assetsInlineLimit: 0 },
    { format: 'es', entryFileNames: 'assets/[name]-[hash].js' },
  )
  const files = [
    { name: 'index.html', content: await studioIndex(outputs) },
    ...outputs.map((part) => ({ name: part.fileName, content: part.type === 'chunk' ? part.code : part.source })),
  ]
  await rm(folder, { recursive: true, force: true })
  const lines = []
  for (const { name, content } of files) {
    const type = TYPES[path.extname(name)]
    const packed = type.startsWith('text/')
    const file = path.join(folder, packed ? `${name}.gz` : name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, packed ? gzipSync(content, { level: 9 }) : content)
    lines.push([name === 'index.html' ? '/' : `/${name}`, type, packed ? 'gzip' : 'plain', file].join('\t'))
  }
  if (page === 'studio') await writePackages(`${folder}.packages.json`, outputs)
  await writeFile(path.join(folder, 'manifest.txt'), lines.join('\n') + '\n')
}

if (page === 'player') await buildPlayer(output)
else if (page === 'studio') await buildStudio(path.resolve(output), 'src/studio/main.ts')
else if (page === 'studio-test') await buildStudio(path.resolve(output), 'test/main.ts')
else throw new Error('usage: node build.mjs player|studio|studio-test OUTPUT')
