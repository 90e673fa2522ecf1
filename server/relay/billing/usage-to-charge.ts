import { completionTokens, NO_USAGE, promptTokens, type Usage } from '../../core/usage.ts'

export type Ending = 'complete' | 'client-left' | 'upstream-broke' | 'quota-spent' | 'storage-failed'

/** How an answer ended and what it used. */
export interface Outcome {
  readonly ending: Ending
  readonly usage: Usage
  /** `free`: nothing came out, so nothing is charged. */
  readonly provenance: 'upstream' | 'estimated' | 'free'
  /** Until the first output; undefined when the answer came whole. */
  readonly firstOutputMs: number | undefined
}

interface CountedUsage {
  /** The vendor's own figures, as far as they are known. */
  readonly usage: Usage | undefined
  readonly isComplete: boolean
  /** Something came out that can be seen. */
  readonly hasOutput: boolean
  /** Our estimates. */
  readonly inputTokens: number
  /** How many of them are sound; asked only where they are charged. */
  readonly inputAudioTokens?: () => number
  readonly outputTokens: number
  /** How many of them are sound. */
  readonly outputAudioTokens?: number
  /** Plain pictures. Where their tokens are not counted they are priced themselves, and what they are made from is not. */
  readonly images?: number
}

/**
 * The usage to charge. The vendor's own figures hold when the answer is complete. Of a broken one its input figures
 * hold, and of the output at least what was delivered. Without figures, or with none for what came out, that is
 * estimated. No output, no charge: of a broken answer only what was delivered is output.
 */
export function usageToCharge(counted: CountedUsage): Pick<Outcome, 'usage' | 'provenance'> {
  const { usage, isComplete, hasOutput, inputTokens, outputTokens, outputAudioTokens = 0, images = 0 } = counted
  const told = usage ? completionTokens(usage) : 0
  const output = Math.max(outputTokens, told)
  if (!hasOutput && !(isComplete && output > 0)) return { usage: NO_USAGE, provenance: 'free' }
  if (usage && isComplete && (told > 0 || output === 0)) return { usage, provenance: 'upstream' }
  if (usage && promptTokens(usage) > 0)
    return {
      usage: { ...usage, output: usage.output + output - completionTokens(usage) },
      provenance: 'estimated',
    }
  if (images > 0 && output === 0) return { usage: { ...NO_USAGE, images }, provenance: 'estimated' }
  const audioOutput = Math.min(outputAudioTokens, output)
  const audioInput = Math.min(counted.inputAudioTokens?.() ?? 0, inputTokens)
  return {
    usage: {
      ...NO_USAGE,
      input: inputTokens - audioInput,
      audioInput,
      output: output - audioOutput,
      audioOutput,
      images,
    },
    provenance: 'estimated',
  }
}
