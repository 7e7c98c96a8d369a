// Bundles src/player into one HTML file with its script and style inside: node build.mjs OUTPUT
import { build } from 'esbuild'
import { readFile, writeFile } from 'node:fs/promises'

const folder = new URL('src/player/', import.meta.url)
const bundled = await build({
  entryPoints: [new URL('main.ts', folder).pathname, new URL('style.css', folder).pathname],
  bundle: true,
  minify: true,
  write: false,
  outdir: 'out',
  format: 'iife',
  target: ['es2020'],
  charset: 'utf8',
  legalComments: 'eof',
})
const text = (ending) => bundled.outputFiles.find((file) => file.path.endsWith(ending)).text
// Text of a script element must not contain its own end.
const script = text('.js').replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--')
const page = (await readFile(new URL('index.html', folder), 'utf8'))
  .replace('/*style*/', () => text('.css'))
  .replace('/*script*/', () => script)
await writeFile(process.argv[2], page)
