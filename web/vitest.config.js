// Unit tests of the pages' code: stores, geometry, protocol, curves. Without a browser; happy-dom stands in for the page.
import { svelte, vitePreprocess } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  plugins: [svelte({ configFile: false, preprocess: vitePreprocess() })],
  resolve: { conditions: ['browser'] },
  test: {
    include: ['test/unit/**/*.test.{ts,js}'],
    environment: 'happy-dom',
    pool: 'threads',
    isolate: true,
    testTimeout: 60000,
  },
})
