import { completionTokens, extrasOf, NO_USAGE, promptTokens, type Usage } from '../../core/usage.ts'
import type { Outcome } from '../types.ts'

/** The provider's figures and our own counts, from which `usageToCharge` chooses. */
interface CountedUsage {
  /** The provider's figures; undefined when none arrived. */
  readonly usage: Usage | undefined
  readonly isComplete: boolean
  /** Whether the client received any output. */
  readonly hasOutput: boolean
  /** Our estimate of the input. */
  readonly inputTokens: number
  /** The audio part of `inputTokens`; called only when audio is charged. */
  readonly inputAudioTokens?: () => number
  /** Our estimate of the output. */
  readonly outputTokens: number
  /** The audio part of `outputTokens`. */
  readonly outputAudioTokens?: number
  /** Our estimate of thoughts that the provider charges for without delivering them. */
  readonly thoughtTokens?: number
  /** Image units. They have a price of their own when the provider counts no tokens for them, and their prompt is free. */
  readonly images?: number
}

/**
 * Decides which usage is billed, and records where its figures come from; `calculateCharge` in
 * server/pricing/charge.ts turns the usage into an amount. The provider's figures count when the response is
 * complete. For an interrupted one its input figures count, and for the output at least what was delivered. Without
 * figures, or with zero for output that did arrive, our estimate counts. Without output nothing is charged; for an
 * interrupted response, only delivered output is output.
 */
export function usageToCharge(counted: CountedUsage): Pick<Outcome, 'usage' | 'provenance'> {
  const { usage, isComplete, hasOutput, outputTokens, images = 0, thoughtTokens = 0 } = counted
  const reportedOutput = usage ? completionTokens(usage) : 0
  const output = Math.max(outputTokens, reportedOutput)
  if (!hasOutput && !(isComplete && output > 0)) return { usage: NO_USAGE, provenance: 'free' }
  if (usage && isComplete && (reportedOutput > 0 || output === 0)) return { usage, provenance: 'upstream' }
  if (usage && promptTokens(usage) > 0)
    return {
      usage: {
        ...usage,
        output: usage.output + output - reportedOutput,
        reasoning: Math.max(usage.reasoning, thoughtTokens),
      },
      provenance: 'estimated',
    }
  if (images > 0 && output === 0) return { usage: { ...NO_USAGE, images }, provenance: 'estimated' }
  return { usage: estimateUsage(counted, output), provenance: 'estimated' }
}

/** Our own counts, beside what tools are known to have done. */
function estimateUsage(counted: CountedUsage, output: number): Usage {
  const { usage = NO_USAGE, inputTokens, outputAudioTokens = 0, thoughtTokens = 0, images = 0 } = counted
  const audioOutput = Math.min(outputAudioTokens, output)
  const audioInput = Math.min(counted.inputAudioTokens?.() ?? 0, inputTokens)
  return {
    ...NO_USAGE,
    ...extrasOf(usage),
    input: inputTokens - audioInput,
    audioInput,
    output: output - audioOutput,
    reasoning: thoughtTokens,
    audioOutput,
    images,
  }
}
