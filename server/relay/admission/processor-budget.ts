import { elapsedMs } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import { KIB } from '../../core/limits.ts'
import type { SpendResult } from '../../core/rate-limit.ts'
import type { Caller, RelayCall } from '../types.ts'

/** At once, and again within each minute: two seconds in the first minute of a user without money. */
const BUDGET_MS = 1_000
const WINDOW_MS = 60_000
/** Clients count the tokens of long conversations before each turn. */
const PAYER_FACTOR = 10
const USERS_MAX = 10_000

/** Text that is stored or sent is read, checked and parsed. */
const BYTES_PER_MS = 64 * KIB
/** Of the smallest frame: 100,000 a minute are far above what speech needs. */
const FRAME_MS = 0.1
/** Of the cheapest lookup, with some to spare. */
const LOOKUP_MS = 1

type Spender = Pick<Caller, 'userId' | 'walletUnits'>

/**
 * The processor time that each user may take for what is free, of whatever kind: calls of the management API, lookups, token
 * counts and frames. Some is known afterwards, so that a debt may remain.
 */
export class ProcessorBudget {
  /** As shares of the whole. */
  private readonly spent = new Map<number, { readonly share: number; readonly atMs: number }>()

  /** Throws GatewayError `too_many_requests` while the budget is used up. */
  require({ userId }: Spender): void {
    const excess = this.read(userId) - 1
    if (excess < 0) return
    const seconds = Math.max(1, Math.ceil(excess * (WINDOW_MS / 1000)))
    const zh = `免费请求占用的处理时间过多，请在 ${seconds} 秒后重试`
    const en = `free requests have taken too much processor time; try again in ${seconds} s`
    throw new GatewayError('too_many_requests', { zh, en }, { retryAfterSeconds: seconds })
  }

  /** Takes a share of the budget, unless it is used up. */
  take(userId: number, share: number): SpendResult {
    const excess = this.read(userId) - 1
    if (excess >= 0) return { isAllowed: false, retryAfterMs: excess * WINDOW_MS }
    this.add(userId, share)
    return { isAllowed: true, retryAfterMs: 0 }
  }

  /** Runs a lookup, which is free. What it reads counts. Throws as `require`. */
  async runLookup(
    { caller, connection }: Pick<RelayCall, 'caller' | 'connection'>,
    lookup: () => Promise<Response>,
  ): Promise<Response> {
    this.require(caller)
    this.spend(caller, LOOKUP_MS)
    try {
      return await lookup()
    } finally {
      this.spend(caller, connection.takenBytes() / BYTES_PER_MS)
    }
  }

  /** Counts a frame of an open conversation, which is parsed before anything is charged for it. Throws as `require`. */
  admitFrame(caller: Spender, bytes: number): void {
    this.require(caller)
    this.spend(caller, Math.max(FRAME_MS, bytes / BYTES_PER_MS))
  }

  spend(caller: Spender, ms: number): void {
    this.add(caller.userId, ms / budgetOf(caller))
  }

  private add(userId: number, share: number): void {
    const left = this.read(userId)
    if (this.spent.size >= USERS_MAX) this.spent.clear()
    this.spent.set(userId, { share: left + share, atMs: elapsedMs() })
  }

  /** What is left of the time that was spent: it is given back evenly. */
  private read(userId: number): number {
    const { share, atMs } = this.spent.get(userId) ?? { share: 0, atMs: 0 }
    return Math.max(0, share - (elapsedMs() - atMs) / WINDOW_MS)
  }
}

const budgetOf = ({ walletUnits }: Spender): number => (walletUnits > 0 ? PAYER_FACTOR : 1) * BUDGET_MS
