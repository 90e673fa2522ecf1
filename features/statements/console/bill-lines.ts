import type { OwnAnalyticsFigures } from '#features/analytics/contract.ts'
import type { Statement } from '../contract.ts'

export interface BillLine {
  /** Empty: charges that no model is known of. */
  readonly model: string
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Quota units. */
  readonly amount: number
}

interface ModelFigures {
  readonly value: string
  readonly figures: OwnAnalyticsFigures
}

/**
 * The charges of a period by model, largest first. The last line has what the models leave of the statement's charges, such
 * as requests of the last minute: the lines add up to it whatever the analytics have counted.
 */
export function billLines(
  models: readonly ModelFigures[],
  { charged, requests }: Pick<Statement, 'charged' | 'requests'>,
): readonly BillLine[] {
  const lines = models
    .map(toLine)
    .filter(({ requests: count, amount }) => count > 0 || amount !== 0)
    .toSorted((a, b) => b.amount - a.amount || a.model.localeCompare(b.model))
  const sum = (of: 'amount' | 'requests') => lines.reduce((total, line) => total + line[of], 0)
  const rest = charged - sum('amount')
  if (rest === 0) return lines
  const count = Math.max(0, requests - sum('requests'))
  return [...lines, { model: '', requests: count, inputTokens: 0, outputTokens: 0, amount: rest }]
}

const toLine = ({ value, figures: f }: ModelFigures): BillLine => ({
  model: value,
  requests: f.requests - f.errors,
  inputTokens:
    f.input_tokens +
    f.cached_input_tokens +
    f.cache_write_tokens +
    f.audio_input_tokens +
    f.image_input_tokens,
  outputTokens: f.output_tokens + f.reasoning_tokens + f.audio_output_tokens,
  amount: f.quota,
})
