import type { Usage } from '../core/usage.ts'

/** Totals as vendors report them, which include the parts. */
export interface VendorUsageTotals {
  readonly prompt: number
  readonly cachedInput?: number
  readonly cacheWrite?: number
  readonly audioInput?: number
  readonly completion: number
  readonly reasoning?: number
  readonly audioOutput?: number
}

/**
 * Subtracts the parts from the totals. The buckets add up to exactly the vendor's totals, even where its parts
 * overlap or exceed them. Undefined when both totals are 0: the vendor reported nothing.
 */
export function usageFromTotals(totals: VendorUsageTotals): Usage | undefined {
  const { prompt, completion } = totals
  if (prompt + completion <= 0) return undefined
  const cachedInput = Math.min(totals.cachedInput ?? 0, prompt)
  const cacheWrite = Math.min(totals.cacheWrite ?? 0, prompt - cachedInput)
  const audioInput = Math.min(totals.audioInput ?? 0, prompt - cachedInput - cacheWrite)
  const reasoning = Math.min(totals.reasoning ?? 0, completion)
  const audioOutput = Math.min(totals.audioOutput ?? 0, completion - reasoning)
  return {
    input: prompt - cachedInput - cacheWrite - audioInput,
    cachedInput,
    cacheWrite,
    cacheWriteHour: 0,
    audioInput,
    imageInput: 0,
    output: completion - reasoning - audioOutput,
    reasoning,
    audioOutput,
    images: 0,
  }
}
