/** A vendor needs a moment before there is anything to tell. */
const FIRST_MS = 2000
const LONGEST_MS = 15_000
/** A task is asked for again after a quarter of its age. */
const SHARE_OF_AGE = 4

/** Longer than any look at a task lasts: another process takes over what a dead one had taken. */
const LEASE_MS = 30_000

/** Until when a task is one process's, which looks at it or closes it. */
export const leaseEndMs = (nowMs: number): number => nowMs + LEASE_MS

/** When a task is looked at first. */
export const firstDueMs = (nowMs: number): number => nowMs + FIRST_MS

/** When an open task is looked at next: soon while it is young, every quarter of a minute when it takes long. */
export const nextDueMs = (createdAtMs: number, nowMs: number): number =>
  nowMs + Math.round(Math.min(Math.max((nowMs - createdAtMs) / SHARE_OF_AGE, FIRST_MS), LONGEST_MS))
