import { call } from '../api/client'
import { ApiError } from '../api/problem'

/** Bounds the readings of the list: other browsers may sign in meanwhile. */
const roundsMax = 20

/** Ends a session. Returns false if it had ended already. */
async function endSession(id: number): Promise<boolean> {
  try {
    await call('DELETE /sessions/{id}', { id })
    return true
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false
    throw error
  }
}

/** Ends all sessions of `user`, without it of all users, but that of this browser. Returns how many it ended. Errors: ApiError. */
export async function endOtherSessions(user?: number): Promise<number> {
  let ended = 0
  for (let round = 0; round < roundsMax; round += 1) {
    const { items } = await call('GET /sessions', { query: { user, limit: 500 } })
    const others = items.filter((each) => !each.current)
    if (!others.length) break
    for (const { id } of others) if (await endSession(id)) ended += 1
  }
  return ended
}
