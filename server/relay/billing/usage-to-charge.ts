import { elapsedMs } from '../../core/clock.ts'
import {
  completionTokens,
  type ExtraUsage,
  extrasOf,
  NO_USAGE,
  promptTokens,
  type ToolImages,
  type Usage,
} from '../../core/usage.ts'
import { thinksUnseen } from '../../pricing/catalogue.ts'
import type { Price } from '../../pricing/price.ts'
import type { ActiveRequest, Outcome } from '../types.ts'
import { largestInput } from './hold.ts'

/** The most tokens that a provider can truthfully report for a request. */
export interface UsageBound {
  readonly inputTokens: number
  readonly outputTokens: number
}

/** A hidden prompt fills at most the context of a model. */
const CONTEXT_TOKENS = 200_000
/** Requests for which a provider searches, reads files or calls models several times. */
const OPEN_ENDED: UsageBound = { inputTokens: 20_000_000, outputTokens: 2_000_000 }
/** Providers count images, files and thoughts beyond the client's limit in their own ways. */
const TOLERANCE = 2

export function usageBound(
  request: Pick<ActiveRequest, 'inputTokens' | 'isOpenEnded' | 'maxOutputTokens' | 'choices' | 'operation'>,
  { outputTokensMax }: Pick<Price, 'outputTokensMax'>,
): UsageBound {
  if (request.isOpenEnded) return OPEN_ENDED
  const { maxOutputTokens = 0, choices = 1 } = request
  return {
    inputTokens: largestInput(request) * TOLERANCE + CONTEXT_TOKENS,
    outputTokens: Math.max(maxOutputTokens, outputTokensMax * choices) * TOLERANCE,
  }
}

interface CheckedUsage {
  /** Undefined when the provider reported none, or one that cannot be true. */
  readonly usage: Usage | undefined
  readonly rejectedUsage?: Usage
}

/** The estimate counts a quarter of a token for each byte of output, and no tokenizer makes more than one of a byte. */
const TOKENS_PER_ESTIMATED_TOKEN = 4

/** No response makes more searches, calls or images than this, or reads more than a day of sound. */
const USES_MAX = 1_000
const SECONDS_MAX = 86_400
const IMAGE_TOKENS_MAX = 10_000_000

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)

function areExtrasTrue(usage: ExtraUsage): boolean {
  const { webSearches = 0, toolCalls, toolImages, otherModels = [], seconds = 0 } = usage
  if (webSearches > USES_MAX || seconds > SECONDS_MAX) return false
  if (toolCalls && Object.values(toolCalls).some(count => count > USES_MAX)) return false
  const used = otherModels.map(other => ({ ...NO_USAGE, ...other.usage }))
  if (sumOf(used.map(promptTokens)) > OPEN_ENDED.inputTokens) return false
  if (sumOf(used.map(completionTokens)) > OPEN_ENDED.outputTokens) return false
  const isTooMuch = ({ count, tokens }: ToolImages): boolean =>
    count > USES_MAX || sumOf(Object.values(tokens ?? {})) > IMAGE_TOKENS_MAX
  return !toolImages?.some(isTooMuch)
}

/** Drops usage beyond the bound. `receivedTokens`: the estimated output, which the provider has shown to be true. */
export function checkUsage(
  usage: Usage | undefined,
  { inputTokens, outputTokens }: UsageBound,
  receivedTokens: () => number = () => 0,
): CheckedUsage {
  if (!usage) return { usage }
  const output = completionTokens(usage)
  const isTrue =
    areExtrasTrue(usage) &&
    promptTokens(usage) <= inputTokens &&
    (output <= outputTokens || output <= receivedTokens() * TOKENS_PER_ESTIMATED_TOKEN)
  return isTrue ? { usage } : { usage: undefined, rejectedUsage: usage }
}

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
 * figures, or with zero for output that did arrive or for a prompt that was sent, our estimate counts. Without output
 * nothing is charged; for an interrupted response, only delivered output is output.
 */
export function usageToCharge(counted: CountedUsage): Pick<Outcome, 'usage' | 'provenance'> {
  const { usage, isComplete, hasOutput, outputTokens, images = 0, thoughtTokens = 0 } = counted
  const reportedOutput = usage ? completionTokens(usage) : 0
  const output = Math.max(outputTokens, reportedOutput)
  if (!hasOutput && !(isComplete && output > 0)) return { usage: NO_USAGE, provenance: 'free' }
  if (usage && isComplete && (reportedOutput > 0 || output === 0)) return withPrompt(usage, counted)
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

/** A prompt of 0 beside output is not true, except of what is paid by the second or the picture. */
function withPrompt(usage: Usage, counted: CountedUsage): Pick<Outcome, 'usage' | 'provenance'> {
  const { inputTokens, images = 0 } = counted
  const isPaidByTokens = images + usage.images === 0 && usage.seconds === undefined
  return isPaidByTokens && inputTokens > 0 && promptTokens(usage) === 0 && completionTokens(usage) > 0
    ? { usage: { ...usage, ...estimatePrompt(counted) }, provenance: 'estimated' }
    : { usage, provenance: 'upstream' }
}

function estimatePrompt({
  inputTokens,
  inputAudioTokens,
}: CountedUsage): Pick<Usage, 'input' | 'audioInput'> {
  const audioInput = Math.min(inputAudioTokens?.() ?? 0, inputTokens)
  return { input: inputTokens - audioInput, audioInput }
}

/** Our own counts, beside what tools are known to have done. */
function estimateUsage(counted: CountedUsage, output: number): Usage {
  const { usage = NO_USAGE, outputAudioTokens = 0, thoughtTokens = 0, images = 0 } = counted
  const audioOutput = Math.min(outputAudioTokens, output)
  return {
    ...NO_USAGE,
    ...extrasOf(usage),
    ...estimatePrompt(counted),
    output: output - audioOutput,
    reasoning: thoughtTokens,
    audioOutput,
    images,
  }
}

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
