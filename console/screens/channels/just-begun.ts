import type { TestProgress } from '#contract/channels.ts'

/** A run that has just begun, so that its first figures are news even when it is over by then. */
export const JUST_BEGUN: TestProgress = {
  is_running: true,
  total: 0,
  done: 0,
  succeeded: 0,
  failed: 0,
  disabled: 0,
  enabled: 0,
  started_at: 0,
  finished_at: 0,
}
