// Builds the console with Vite, whose arguments follow, and then checks sizes: node scripts/build.mjs [--outDir FOLDER …]
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const args = process.argv.slice(2)
const at = args.indexOf('--outDir')
const out = at >= 0 ? (args[at + 1] ?? 'dist') : 'dist'
const quiet = args.join(' ').includes('--logLevel warn')
const run = (script, ...rest) => {
  const done = spawnSync(process.execPath, [fileURLToPath(new URL(script, import.meta.url)), ...rest], { stdio: 'inherit' })
  if (done.status !== 0) process.exit(done.status ?? 1)
}

run('../node_modules/vite/bin/vite.js', 'build', ...args)
run('./sizes.mjs', out, ...(quiet ? ['--quiet'] : []))
