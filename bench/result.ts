import type { Throughput } from './measure.ts'
import type { MeasuredLoad } from './run-load.ts'

/** One promise, the figure that was measured, and whether it holds. */
export interface Claim {
  readonly says: string
  readonly found: number
  readonly limit: number
  readonly isMet: boolean
}

/** Everything that one run found; written to a file as it is. */
export interface BenchResult {
  readonly startedAt: string
  readonly size: string
  readonly machine: {
    readonly cpu: string
    readonly cores: number
    readonly system: string
    readonly bun: string
  }
  readonly throughput: Readonly<Record<string, Throughput>>
  /** At a modest rate. `direct` is the upstream itself. */
  readonly steady: Readonly<Record<string, MeasuredLoad>>
  /** Of streams that begin one after the other. */
  readonly firstTokens: Readonly<Record<string, MeasuredLoad>>
  readonly streams: Readonly<Record<string, MeasuredLoad>>
  readonly ledger: {
    /** Answers that the gateway gave over the whole run. */
    readonly responses: number
    readonly logRows: number
    readonly isBalanced: boolean
    readonly report: string
    readonly tokensPerStream: number
  }
  readonly claims: readonly Claim[]
}
