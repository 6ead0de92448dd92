/** Shortest time between two reads of the next times of a schedule. */
export const readAgainMs = 5000

/** Returns the instants that are still to come. */
export const comingOf = (instants: number[], nowMs: number): number[] => instants.filter((ms) => ms > nowMs)

/** Returns whether instants have passed that another read would replace, and the last read, whatever its outcome, is long enough ago. */
export function mayReadAgain(instants: number[], nowMs: number, readMs: number): boolean {
  return nowMs - readMs >= readAgainMs && instants.some((ms) => ms <= nowMs)
}
