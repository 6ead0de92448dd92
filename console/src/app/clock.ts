import { onScopeDispose, ref, type Ref } from 'vue'
import { settings, type ShownZone } from './settings'

export const viewerZone = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'
/** Returns the names of time zones that the browser knows, UTC and the viewer's first. */
export function zoneNames(): string[] {
  const list = (Intl as unknown as { supportedValuesOf?: (what: string) => string[] }).supportedValuesOf?.('timeZone') ?? []
  return [...new Set(['UTC', viewerZone, ...list])]
}
export const serverZone = ref('UTC')
let skewMs = 0

/** Notes the server's clock, so that "3 minutes ago" is right on a computer whose clock is wrong. */
export function noteServerClock(nowMs: number | undefined, zone: string | undefined): void {
  if (nowMs !== undefined) skewMs = Math.abs(nowMs - Date.now()) > 2000 ? nowMs - Date.now() : 0
  if (zone) serverZone.value = zone
}

export const serverNow = () => Date.now() + skewMs

export function zoneName(shown: ShownZone): string {
  return shown === 'utc' ? 'UTC' : shown === 'server' ? serverZone.value : viewerZone
}

const formats = new Map<string, Intl.DateTimeFormat>()
function formatOf(zone: string): Intl.DateTimeFormat {
  let found = formats.get(zone)
  if (!found) {
    const parts = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
    try {
      found = new Intl.DateTimeFormat('en-GB', { ...parts, hourCycle: 'h23', timeZone: zone, timeZoneName: 'longOffset' })
    } catch {
      found = new Intl.DateTimeFormat('en-GB', { ...parts, hourCycle: 'h23', timeZone: 'UTC', timeZoneName: 'longOffset' })
    }
    formats.set(zone, found)
  }
  return found
}

function partsOf(ms: number, zone: string): Record<string, string> {
  return Object.fromEntries(formatOf(zone).formatToParts(ms).map((part) => [part.type, part.value]))
}

/** Returns how far the clock of a zone is ahead of UTC. */
function offsetMs(ms: number, zone: string): number {
  const part = partsOf(ms, zone)
  const wall = Date.UTC(Number(part.year), Number(part.month) - 1, Number(part.day), Number(part.hour), Number(part.minute), Number(part.second))
  return wall - Math.floor(ms / 1000) * 1000
}
/** Returns what the clock of a zone shows, as if it were UTC. */
export const wallOf = (ms: number, zone: string) => ms + offsetMs(ms, zone)
/** Returns the time at which the clock of a zone shows `wall`; a time near it if the clock skips that. */
export function timeOfWall(wall: number, zone: string): number {
  const near = wall - offsetMs(wall, zone)
  return wall - offsetMs(near, zone)
}

const textOf = (part: Record<string, string>) => `${part.year}-${part.month}-${part.day} ${part.hour}:${part.minute}:${part.second}`

/** Formats `2026-01-02 03:04:05`. */
export const timeText = (ms: number, zone = zoneName(settings.zone)) => textOf(partsOf(ms, zone))

/** Formats `2026-01-02`. */
export const dayText = (ms: number, zone = zoneName(settings.zone)) => timeText(ms, zone).slice(0, 10)

/** Formats `2026-01-02 03:04:05 GMT+08:00 (Asia/Shanghai)`. */
export function fullTimeText(ms: number, zone = zoneName(settings.zone)): string {
  const part = partsOf(ms, zone)
  return `${textOf(part)} ${part.timeZoneName ?? ''} (${zone})`
}

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 365],
  ['year', Infinity],
]

const relativeFormats = new Map<string, Intl.RelativeTimeFormat>()
function relativeFormatOf(language: string): Intl.RelativeTimeFormat {
  const found = relativeFormats.get(language) ?? new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  relativeFormats.set(language, found)
  return found
}

/** Formats `3 minutes ago`, `in 2 hours`. */
export function relativeText(ms: number, nowMs: number, language: string): string {
  // Past and future are rounded alike.
  let amount = Math.round(Math.abs(ms - nowMs) / 1000)
  for (const [unit, size] of steps) {
    if (amount < size) return relativeFormatOf(language).format(ms < nowMs ? -amount : amount, unit)
    amount = Math.round(amount / size)
  }
  return ''
}

/** Formats `< 1 s`, `850 ms`, `3.2 s`, `4 min 5 s`, `2 h 3 min`, `3 d 4 h`. XXL-JOB's tables have whole seconds, so 0 is less than one. */
export function durationText(ms: number): string {
  if (ms < 1) return '< 1 s'
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 10000) return `${ms % 1000 === 0 ? ms / 1000 : (ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
  return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`
}

/** A clock that all its users share. */
interface Clock {
  now: Ref<number>
  users: number
  timer: ReturnType<typeof setInterval>
}
const clocks = new Map<number, Clock>()
/** A clock that is older than this is set right for a new user. */
const clockLateMs = 500

/** Returns the present in steps, for texts such as "3 s ago". */
export function useNow(everyMs = 1000): Ref<number> {
  let clock = clocks.get(everyMs)
  if (!clock) {
    const now = ref(serverNow())
    clock = { now, users: 0, timer: setInterval(() => (now.value = serverNow()), everyMs) }
    clocks.set(everyMs, clock)
  }
  const own = clock
  own.users += 1
  if (Math.abs(serverNow() - own.now.value) > clockLateMs) own.now.value = serverNow()
  onScopeDispose(() => {
    own.users -= 1
    if (own.users) return
    clearInterval(own.timer)
    clocks.delete(everyMs)
  })
  return own.now
}
