// Prints the compressed sizes of the built files, node scripts/sizes.mjs [FOLDER] [--quiet], and fails if the first load is larger than its limit, or if the page would break the CSP.
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'

const limitKb = 350
const quiet = process.argv.includes('--quiet')
const folder = process.argv[2]?.startsWith('--') ? 'dist' : (process.argv[2] ?? 'dist')
const dist = pathToFileURL(resolve(folder) + '/')
const print = (text) => quiet || console.log(text)
const kb = (bytes) => (bytes / 1000).toFixed(1).padStart(8)
const packed = (name) => gzipSync(readFileSync(new URL(name, dist)), { level: 9 }).length

const page = readFileSync(new URL('index.html', dist), 'utf8')
const first = ['index.html', ...[...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map((found) => found[1])]
const problems = []
if (/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/.test(page)) problems.push('index.html has an inline script or style')
if (/(?:src|href)="(?!\.\/assets\/)/.test(page)) problems.push('index.html has a link that is not below ./assets/')

const all = readdirSync(new URL('assets/', dist)).map((name) => ({ name: `assets/${name}`, bytes: packed(`assets/${name}`) }))
print('gzip kB')
for (const each of all.sort((a, b) => b.bytes - a.bytes).slice(0, 12)) print(`${kb(each.bytes)}  ${each.name}`)

// The start page and its parts: entry, its static imports, the texts of one language, the page after sign-in.
const imports = (name) => [...readFileSync(new URL(name, dist), 'utf8').matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g)].map((found) => `assets/${found[1]}`)
const loaded = new Set(first)
const add = (name) => {
  if (loaded.has(name)) return
  loaded.add(name)
  if (name.endsWith('.js')) imports(name).forEach(add)
}
first.filter((name) => name.endsWith('.js')).flatMap(imports).forEach(add)
for (const part of ['JobsPage', 'zh-CN', 'zh-cn'])
  for (const each of all) if (each.name.startsWith(`assets/${part}-`)) add(each.name)
const sum = (names) => [...names].reduce((bytes, name) => bytes + packed(name), 0)
print(`${kb(sum(first))}  index.html and its links`)
print(`${kb(sum(loaded))}  first load: these, the page Jobs and one language (limit ${limitKb})`)
print(`${kb(all.reduce((bytes, each) => bytes + each.bytes, 0))}  all files`)
if (sum(loaded) > limitKb * 1000) problems.push(`the first load is larger than ${limitKb} kB`)
for (const each of problems) console.error(each)
process.exit(problems.length ? 1 : 0)
