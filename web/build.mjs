// Bundles a page into one HTML file with its script and style inside: node build.mjs player|studio OUTPUT
import { svelte, vitePreprocess } from '@sveltejs/vite-plugin-svelte'
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const [, , page, output] = process.argv
const folder = new URL(`src/${page}/`, import.meta.url)
const bundled = await build({
  root: fileURLToPath(new URL('.', import.meta.url)),
  configFile: false,
  logLevel: 'warn',
  plugins: page === 'studio' ? [svelte({ configFile: false, preprocess: vitePreprocess() })] : [],
  esbuild: { legalComments: 'eof', charset: 'utf8' },
  build: {
    write: false,
    target: 'es2022',
    modulePreload: false,
    cssCodeSplit: false,
    chunkSizeWarningLimit: 4000,
    rollupOptions: { input: fileURLToPath(new URL('main.ts', folder)), output: { format: 'iife' } },
  },
})
const outputs = [bundled].flat().flatMap((result) => result.output)
// Text of a script element must not contain its own end.
const script = outputs
  .find((file) => file.type === 'chunk')
  .code.replaceAll('</script', '<\\/script')
  .replaceAll('<!--', '<\\!--')
const style = outputs.find((file) => file.fileName.endsWith('.css')).source
const hash = createHash('sha256').update(script).digest('base64')
const text = (await readFile(new URL('index.html', folder), 'utf8'))
  .replace('/*style*/', () => style)
  .replace('/*hash*/', () => `'sha256-${hash}'`)
  .replace('/*script*/', () => script)
await writeFile(output, text)
