/**
 * The event at which the gateway is killed: an exchange with the database, the upstream or the client. Between two such
 * events a kill leaves the same state behind, so these cover every moment.
 */
export type CrashTrigger = DatabaseTrigger | UpstreamTrigger | ClientTrigger

export interface DatabaseTrigger {
  readonly kind: 'database'
  readonly when: 'before' | 'after'
  /** Prefix of the statement, in lower case with single spaces and without quotation marks. */
  readonly statement: string
  /** Prefix of an earlier statement of the same transaction, needed where `statement` alone is ambiguous (`commit`). */
  readonly within?: string
}

export interface UpstreamTrigger {
  readonly kind: 'upstream'
  /** Before the request is written; after the response head, a part of the body or all of the body has arrived. */
  readonly at: 'call' | 'head' | 'bytes' | 'end'
  /** Part of the request path. Absent: every call counts. */
  readonly path?: string
}

/** The test itself sends the signal: the upstream has the request, or the client has read this much. */
export interface ClientTrigger {
  readonly kind: 'client'
  readonly at: 'asked' | 'head' | 'bytes' | 'end'
}

/** Instructions for the preloaded `crash-hook.ts`. */
export interface CrashPlan {
  readonly trigger: DatabaseTrigger | UpstreamTrigger
  /** The process kills itself at this occurrence of the trigger. */
  readonly count: number
  /** Counts from the start of the process. Otherwise counting begins when the gateway listens. */
  readonly isArmedFromStart?: boolean
}

/** Environment variable that holds the plan as JSON. */
export const CRASH_PLAN_VARIABLE = 'CRASH_PLAN'
