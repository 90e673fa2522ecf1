import { elapsedMs } from '../../core/clock.ts'

/** About as long as providers keep the cache of a prompt that is used regularly. */
const AFFINITY_MS = 3600_000
const SESSIONS_MAX = 20_000

/** The account that served a session: a channel, and the one of its keys that was used. */
export interface ServingAccount {
  readonly channelId: number
  readonly key: string
}

/** Remembers the account that last served a session, since providers charge less for a cached prompt. Only a preference. */
export class SessionAffinity {
  private readonly sessions = new Map<string, ServingAccount & { readonly untilMs: number }>()

  find(session: string): ServingAccount | undefined {
    const entry = this.sessions.get(session)
    return entry && entry.untilMs > elapsedMs() ? entry : undefined
  }

  remember(session: string, { channelId, key }: ServingAccount): void {
    // Deleting first moves the session to the end, so that the first one is the least recently used.
    this.sessions.delete(session)
    this.sessions.set(session, { channelId, key, untilMs: elapsedMs() + AFFINITY_MS })
    const [oldest] = this.sessions.keys()
    if (this.sessions.size > SESSIONS_MAX && oldest !== undefined) this.sessions.delete(oldest)
  }
}

/**
 * Random numbers in [0, 1) that are the same for the same session in every process, so that all processes choose the
 * same account for a session that they have not served yet. Source: the SplitMix32 generator.
 */
export function createSessionRandom(session: string): () => number {
  let state = Bun.hash.xxHash32(session)
  return () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
}
