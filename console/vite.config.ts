import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import vue from '@vitejs/plugin-vue'
import { ElementPlusResolver } from 'unplugin-vue-components/resolvers'
import components from 'unplugin-vue-components/vite'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 8)

/** Puts src/first.js, a classic script that blocks the first paint, into the page as a file with a hash. */
function firstScript(): Plugin {
  const text = readFileSync(new URL('src/first.js', import.meta.url), 'utf8')
  const name = `assets/first-${hashOf(text)}.js`
  let building = false
  return {
    name: 'first-script',
    configResolved(config) {
      building = config.command === 'build'
    },
    buildStart() {
      if (building) this.emitFile({ type: 'asset', fileName: name, source: text })
    },
    transformIndexHtml: {
      order: 'post',
      handler: (html) =>
        html.replace('<!-- first-script -->', `<script src="${building ? `./${name}` : '/console/src/first.js'}"></script>`),
    },
  }
}

/** Moves the images in data: URLs of style sheets into files, because the CSP of the server allows only its own files. */
function imagesAsFiles(): Plugin {
  return {
    name: 'images-as-files',
    apply: 'build',
    enforce: 'post',
    generateBundle(_, bundle) {
      const written = new Set<string>()
      for (const each of Object.values(bundle)) {
        if (each.type !== 'asset' || !each.fileName.endsWith('.css')) continue
        each.source = String(each.source).replace(
          /url\(\s*(?:"(data:image\/svg\+xml[^"]*)"|'(data:image\/svg\+xml[^']*)'|(data:image\/svg\+xml[^)]*))\s*\)/g,
          (_all, double?: string, single?: string, bare?: string) => {
            const url = double ?? single ?? bare ?? ''
            const comma = url.indexOf(',')
            const data = url.slice(comma + 1)
            const image = url.slice(0, comma).includes('base64') ? Buffer.from(data, 'base64').toString() : decodeURIComponent(data)
            const name = `image-${hashOf(image)}.svg`
            if (!written.has(name)) this.emitFile({ type: 'asset', fileName: `assets/${name}`, source: image })
            written.add(name)
            return `url(./${name})`
          },
        )
        if (/url\(\s*["']?data:/.test(String(each.source))) this.error(`${each.fileName} has a data: URL`)
      }
    },
  }
}

const server = process.env.RINGMASTER_URL ?? 'http://127.0.0.1:8080'

export default defineConfig(({ command }) => ({
  base: command === 'build' ? './' : '/console/',
  plugins: [
    vue(),
    components({ dirs: [], dts: 'types/components.d.ts', resolvers: [ElementPlusResolver({ importStyle: 'css' })] }),
    firstScript(),
    imagesAsFiles(),
  ],
  define: { __VUE_OPTIONS_API__: true, __VUE_PROD_DEVTOOLS__: false, __INTLIFY_PROD_DEVTOOLS__: false },
  build: { target: 'es2020', assetsInlineLimit: 0, chunkSizeWarningLimit: 700, reportCompressedSize: false, sourcemap: false },
  // The server refuses requests that another site sends.
  server: { proxy: { '/api': { target: server, changeOrigin: true, headers: { Origin: server } } } },
  test: {
    environment: 'jsdom',
    include: ['tests/**/*.test.ts'],
    setupFiles: ['tests/setup.ts'],
    server: { deps: { inline: ['element-plus'] } },
    css: false,
    testTimeout: 20000,
  },
}))
