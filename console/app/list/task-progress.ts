/** `46%` as 0.46; 0 when there is no percentage. */
export function progressShare(progress: string): number {
  const percent = Number.parseFloat(progress)
  return Number.isFinite(percent) ? Math.min(Math.max(percent / 100, 0), 1) : 0
}

/** Outcome of a vendor's task. Undefined while it runs. */
export const outcomeOf = (status: string): 'succeeded' | 'failed' | undefined =>
  status === 'SUCCESS' ? 'succeeded' : status === 'FAILURE' ? 'failed' : undefined
