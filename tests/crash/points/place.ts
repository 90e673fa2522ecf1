/** Where a program dies: at one of its dealings with the outside, for between two of them a death leaves the same behind. */
export type Place = StorePlace | UpstreamPlace | ClientPlace

export interface StorePlace {
  readonly clientConnection: 'store'
  readonly when: 'before' | 'after'
  /** How the statement begins: lower case, single spaces, no quotation marks. */
  readonly statement: string
  /** How another statement of the same transaction began, where the statement itself says too little. */
  readonly within?: string
}

export interface UpstreamPlace {
  readonly clientConnection: 'upstream'
  /** About to ask; the head of the answer is in; some of its body is; all of it is. */
  readonly at: 'call' | 'head' | 'bytes' | 'end'
  /** Part of the address, where not every call counts. */
  readonly path?: string
}

/** Seen from outside, by who asks: the upstream was asked, or the client has read so much. */
export interface ClientPlace {
  readonly clientConnection: 'client'
  readonly at: 'asked' | 'head' | 'bytes' | 'end'
}

/** What the preloaded `die-at.ts` is told. */
export interface CrashPlan {
  readonly place: StorePlace | UpstreamPlace
  /** The program dies when it is there for the so many-eth time. */
  readonly count: number
  /** Arrivals count from the start on; else from when the program serves, so that what it does before is over. */
  readonly isFromStart?: boolean
}

/** The variable of the environment in which the order stands as JSON. */
export const CRASH_PLAN = 'DIE_AT'
