// docs/parity.md names a case for each page of the Java admin.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { caseNames, test } from '../support/runner.mjs'

/** Returns whether a name of the page, in which `…` stands for any text, is that of a case. */
function isKnown(name) {
  const parts = name.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const pattern = new RegExp(`^${parts.join('.+')}$`)
  return caseNames().some((each) => pattern.test(each))
}

test('parity: each page of the Java admin has a case, and each named case exists', () => {
  const page = readFileSync(new URL('../../../docs/parity.md', import.meta.url), 'utf8')
  const section = page.split(/^## /m).find((each) => each.startsWith('Web pages'))
  const rows = section.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Page of'))
  const namesIn = (text) => [...text.matchAll(/`([^`]*: [^`]*)`/g)].map(([, name]) => name)
  assert.ok(rows.length > 12, `${rows.length} rows`)
  for (const row of rows) assert.ok(namesIn(row.split('|')[3]).length > 0, `no case: ${row}`)
  assert.deepEqual(namesIn(section).filter((name) => !isKnown(name)), [])
})
