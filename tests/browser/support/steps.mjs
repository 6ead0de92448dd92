// Steps that several cases take on the pages.
import { until } from './programs.mjs'

/** Opens a job by the search of the page. */
export async function search(page, name) {
  await page.keyboard.press('/')
  await page.getByRole('combobox', { name: 'Search' }).waitFor()
  await page.locator('[role=combobox]:focus').waitFor()
  await page.keyboard.type(name)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/jobs\/\d+$/)
  await page.getByRole('heading', { name, exact: true }).waitFor()
}

const hasFocus = (target) => target.evaluate((element) => element === document.activeElement)

/** Presses Tab until this element has the focus, as a user without a pointer does. */
export async function tabTo(page, target, pressesMax = 150) {
  await target.waitFor({ state: 'attached' })
  for (let presses = 0; presses < pressesMax; presses += 1) {
    if (await hasFocus(target)) return
    await page.keyboard.press('Tab')
  }
  const held = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200))
  throw new Error(`not reached by ${pressesMax} presses of Tab: ${target}; the focus is on ${held}`)
}

/** Returns a zone in which it is four o'clock at night. */
function zoneOfNight() {
  let offset = 4 - new Date().getUTCHours()
  if (offset > 12) offset -= 24
  if (offset < -12) offset += 24
  // The signs of these names are those of POSIX.
  return offset === 0 ? 'Etc/GMT' : `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`
}

/** Options of a window for which the last night is now. */
export const night = { timezoneId: zoneOfNight() }

/** Returns the ids of the rows of the page's list. */
export const rowIds = (page) => page.locator('main tbody tr').evaluateAll((rows) => rows.map((row) => Number(row.dataset.row)))

/** Returns the failed runs of the time in the page's URL as the server lists them, once the page shows the same. */
export async function failuresShown(world, page) {
  const query = new URL(page.url()).searchParams
  const { items } = await world.admin.get(`/runs?status=failed&from_ms=${query.get('from')}&to_ms=${query.get('to')}&limit=50`)
  await until(async () => String(await rowIds(page)) === String(items.map((each) => each.id)), 'the rows are those of the server')
  return items
}
