import type { Throughput } from './measure.ts'
import type { MeasuredLoad } from './run-load.ts'

/** A promise, the measured figure, and whether it is kept. */
export interface Claim {
  readonly says: string
  readonly found: number
  readonly limit: number
  readonly isMet: boolean
}

/** All figures of one run, as written to the output file. */
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
  /** Requests at a steady rate. `direct` is the upstream itself. */
  readonly steady: Readonly<Record<string, MeasuredLoad>>
  /** Short streams at a steady rate. */
  readonly firstTokens: Readonly<Record<string, MeasuredLoad>>
  readonly streams: Readonly<Record<string, MeasuredLoad>>
  readonly ledger: {
    /** Responses of the gateway over the whole run. */
    readonly responses: number
    readonly logRows: number
    readonly isBalanced: boolean
    readonly report: string
    readonly tokensPerStream: number
  }
  readonly claims: readonly Claim[]
}
