/** `46%` as 0.46; 0 when there is none. */
export function progressShare(progress: string): number {
  const percent = Number.parseFloat(progress)
  return Number.isFinite(percent) ? Math.min(Math.max(percent / 100, 0), 1) : 0
}
