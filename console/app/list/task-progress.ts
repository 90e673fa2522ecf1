/** `46%` as 0.46; 0 when there is none. */
export function progressShare(progress: string): number {
  const percent = Number.parseFloat(progress)
  return Number.isFinite(percent) ? Math.min(Math.max(percent / 100, 0), 1) : 0
}

/** Whether work of a vendor is over, by the vendor's word, and how it ended. */
export const endOf = (status: string): 'succeeded' | 'failed' | undefined =>
  status === 'SUCCESS' ? 'succeeded' : status === 'FAILURE' ? 'failed' : undefined
