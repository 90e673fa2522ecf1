import type { PricingRow } from '#contract/pricing.ts'

/** A ratio of 1 is $2 for a million tokens. */
const DOLLARS_OF_RATIO_ONE = 2
const MILLION = 1_000_000
const BY_CALL = 1

export const isByCall = ({ quota_type }: PricingRow): boolean => quota_type === BY_CALL

/** Dollars for a million tokens, or for a call. */
export interface Price {
  readonly input: number
  readonly output: number
  readonly cached: number | undefined
  readonly call: number
}

/** What a model costs in a group. Formula of the specification: ratio × 2 × group, times the completion ratio. */
export function priceOf(row: PricingRow, groupRatio: number): Price {
  const input = row.model_ratio * DOLLARS_OF_RATIO_ONE * groupRatio
  return {
    input,
    output: input * row.completion_ratio,
    cached: row.cache_ratio === undefined ? undefined : input * row.cache_ratio,
    call: row.model_price * groupRatio,
  }
}

/** What a request costs, in dollars. */
export const costOf = (price: Price, inputTokens: number, outputTokens: number): number =>
  (price.input * inputTokens + price.output * outputTokens) / MILLION

/** Whether the group can call it. */
export const isOffered = (row: PricingRow, group: string): boolean => row.enable_groups.includes(group)
