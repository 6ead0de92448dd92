// Drives the web console of a real server as its users would: run.mjs [--console DIST] [--failures FOLDER] [--worker ELASTIC_WORKER] RINGMASTER [WORD…]
// A case runs if its name has one of the words. Cases with hosts of elastic jobs need the program of tests/elastic.
import './cases/aside.mjs'
import './cases/sign_in.mjs'
import './cases/pages.mjs'
import './cases/tasks.mjs'
import './cases/lists.mjs'
import './cases/list_rows.mjs'
import './cases/edits.mjs'
import './cases/keyboard.mjs'
import './cases/links.mjs'
import './cases/texts.mjs'
import './cases/parity.mjs'
import './cases/elastic.mjs'
import './cases/outages.mjs'
import { runAll } from './support/runner.mjs'
import { NoConsole, readArguments, withWorld } from './support/world.mjs'

const { options, rest } = readArguments(process.argv.slice(2))
const [binary, ...words] = rest
if (!binary) {
  console.error('run.mjs [--console DIST] [--failures FOLDER] [--worker ELASTIC_WORKER] RINGMASTER [WORD…]')
  process.exit(2)
}
try {
  process.exitCode = (await withWorld(binary, options, (world) => runAll(world, words))) ? 1 : 0
} catch (error) {
  const skipped = error instanceof NoConsole
  console.log(skipped ? `skipped: ${error.message}` : error.stack)
  console.log(`cases: passed=0 failed=${skipped ? 0 : 1} skipped=${skipped ? 1 : 0}`)
  process.exitCode = skipped ? 0 : 1
}
