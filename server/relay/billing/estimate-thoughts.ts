import { elapsedMs } from '../../core/clock.ts'
import { thinksUnseen } from '../../pricing/catalogue.ts'
import type { ActiveRequest } from '../types.ts'

/** The slower ones of the models that think produce about this many tokens. */
const TOKENS_PER_SECOND = 50
/** Until the first token of a model that does not think. */
const START_MS = 1_000

type EstimatedRequest = Pick<ActiveRequest, 'model' | 'effort' | 'startedMs' | 'maxOutputTokens'>

/**
 * The thoughts that a provider charges for although it delivers none, estimated from the time until the first output. Only
 * for responses whose usage is unknown. `untilMs`: on the clock of `elapsedMs`, by default now.
 */
export function estimateThoughts(request: EstimatedRequest, untilMs: number = elapsedMs()): number {
  const { model, effort, startedMs, maxOutputTokens = Number.POSITIVE_INFINITY } = request
  if (!thinksUnseen(model) && (effort === undefined || effort === 'none')) return 0
  const thinkingMs = Math.max(untilMs - startedMs - START_MS, 0)
  return Math.min(Math.round((thinkingMs / 1_000) * TOKENS_PER_SECOND), maxOutputTokens)
}
