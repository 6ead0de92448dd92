// Runs named cases one after the other; the last line counts them.

const cases = []

/** Thrown by a case that cannot run here. */
export class Skipped extends Error {}

/** Adds a case. `aside`: it waits most of its time, and so begins first and runs beside the others, up to the first case with `alone`. */
export function test(name, run, { aside = false, alone = false } = {}) {
  cases.push({ name, run, aside, alone })
}

/** Returns the names of all cases. */
export const caseNames = () => cases.map((each) => each.name)

/** Returns the message and the place of an error, without the escape codes and logs of the browser. */
function shortened(error) {
  // eslint-disable-next-line no-control-regex
  const lines = String(error.stack ?? error).replace(/\u001b\[\d+m/g, '').split('\n')
  const places = lines.filter((line) => /^\s+at .*\/cases\//.test(line)).slice(0, 2)
  const rest = lines.filter((line) => line.trim() && !/^\s+at /.test(line)).map((line) => line.slice(0, 400))
  return [...rest.slice(0, 12), ...places].map((line) => `        ${line}`).join('\n')
}

export async function runAll(world, words) {
  const chosen = cases.filter((each) => !words.length || words.some((word) => each.name.includes(word)))
  const counts = { passed: 0, failed: 0, skipped: 0 }
  const failures = []

  async function runOne({ name, run }) {
    const begin = Date.now()
    const end = (word) => console.log(`${word.padEnd(7)} ${name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`)
    try {
      const said = await run(world)
      counts.passed += 1
      end('ok')
      if (said) console.log(`        ${said}`)
    } catch (error) {
      const skipped = error instanceof Skipped
      counts[skipped ? 'skipped' : 'failed'] += 1
      end(skipped ? 'skipped' : 'FAILED')
      console.log(skipped ? `        ${error.message}` : shortened(error))
      if (!skipped) failures.push(name)
    }
  }

  const beside = chosen.filter((each) => each.aside).map(runOne)
  const rest = chosen.filter((each) => !each.aside)
  for (const each of [...rest.filter((one) => !one.alone), ...rest.filter((one) => one.alone)]) {
    if (each.alone) await Promise.all(beside)
    await runOne(each)
  }
  await Promise.all(beside)
  if (failures.length) console.log(`failed: ${failures.join(', ')}`)
  console.log(`cases: passed=${counts.passed} failed=${counts.failed} skipped=${counts.skipped}`)
  return counts.failed
}
