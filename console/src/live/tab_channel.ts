/** What a tab tells the other tabs of the browser about one poll. */
export type PollMessage =
  /** The poll was asked at `askedMs` and answered at `atMs`, by the clock of this computer. */
  | { key: string; kind: 'data'; data: unknown; askedMs: number; atMs: number }
  /** The server asked for a pause. */
  | { key: string; kind: 'wait'; waitMs: number }

/** Messages between the tabs of a browser. A tab does not get its own ones. */
export interface TabChannel {
  send(message: PollMessage): void
  /** Calls `take` with each message of another tab. Returns a function that ends it. */
  listen(take: (message: PollMessage) => void): () => void
}

/** The part of a BroadcastChannel that is used. */
export interface Port {
  postMessage(message: unknown): void
  onmessage: ((event: { data: unknown }) => void) | null
}

export function channelOf(port: Port): TabChannel {
  const listeners = new Set<(message: PollMessage) => void>()
  port.onmessage = ({ data }) => {
    const message = data as PollMessage | null
    if (typeof message?.key === 'string') for (const take of [...listeners]) take(message)
  }
  return {
    send: (message) => port.postMessage(message),
    listen(take) {
      listeners.add(take)
      return () => void listeners.delete(take)
    },
  }
}

let own: TabChannel | null | undefined

/** Returns the channel of this tab; null in browsers without BroadcastChannel, where each tab polls for itself. */
export function tabChannel(): TabChannel | null {
  if (own === undefined) own = typeof BroadcastChannel === 'undefined' ? null : channelOf(new BroadcastChannel('ringmaster.live') as Port)
  return own
}
