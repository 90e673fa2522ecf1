import { elapsedMs } from '../../core/clock.ts'
import { isObject } from '../../provider-kit/json.ts'
import type { RelayRequest } from '../request/relay-request.ts'

/** As long as vendors keep a prompt's cache alive that is used again and again. */
const KEPT_MS = 3600_000
const SESSIONS_MAX = 20_000
const MARK_LENGTH_MAX = 512

/** Which channel answered a session last: vendors read a prompt cheaper that they have read before. A preference, no more. */
export class Affinity {
  private readonly sessions = new Map<string, { readonly channelId: number; readonly untilMs: number }>()

  find(session: string | undefined): number | undefined {
    const kept = session === undefined ? undefined : this.sessions.get(session)
    return kept && kept.untilMs > elapsedMs() ? kept.channelId : undefined
  }

  keep(session: string | undefined, channelId: number): void {
    if (session === undefined) return
    this.sessions.delete(session)
    this.sessions.set(session, { channelId, untilMs: elapsedMs() + KEPT_MS })
    const [oldest] = this.sessions.keys()
    if (this.sessions.size > SESSIONS_MAX && oldest !== undefined) this.sessions.delete(oldest)
  }
}

/** The client's own mark of what belongs together, in any of the dialects. Undefined: it sent none. */
export function sessionOf({
  caller,
  model,
  body,
}: Pick<RelayRequest, 'caller' | 'model' | 'body'>): string | undefined {
  const { prompt_cache_key: cacheKey, user, metadata } = body
  const mark = [cacheKey, user, isObject(metadata) ? metadata.user_id : undefined].find(isMark)
  return mark && JSON.stringify([caller.userId, caller.token?.id, model, mark])
}

const isMark = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MARK_LENGTH_MAX
