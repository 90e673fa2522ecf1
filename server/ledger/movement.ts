import type { Quota } from '../core/money.ts'
import type { Bill, FailedRequest, Hold, HoldWish } from './hold.ts'

/** One thing asked of the books. Those that arrive together are written in one transaction. */
export type Movement = Reserve | Extend | Settle | Release

export interface Reserve {
  readonly kind: 'reserve'
  readonly hold: HoldWish
}

export interface Extend {
  readonly kind: 'extend'
  readonly hold: Hold
  readonly by: Quota
}

export interface Settle {
  readonly kind: 'settle'
  readonly hold: Hold
  readonly bill: Bill
}

export interface Release {
  readonly kind: 'release'
  readonly hold: Hold
  readonly failure?: FailedRequest
}

export const isOpening = (movement: Movement): movement is Reserve | Extend =>
  movement.kind === 'reserve' || movement.kind === 'extend'
