import {
  completionTokens,
  type ExtraUsage,
  promptTokens,
  type ToolImages,
  type Usage,
} from '../../core/usage.ts'
import type { Price } from '../../pricing/price.ts'
import type { ActiveRequest } from '../types.ts'
import { largestInput } from './request-ceiling.ts'

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

function areExtrasTrue(usage: ExtraUsage): boolean {
  const { webSearches = 0, toolCalls, toolImages, seconds = 0 } = usage
  if (webSearches > USES_MAX || seconds > SECONDS_MAX) return false
  if (toolCalls && Object.values(toolCalls).some(count => count > USES_MAX)) return false
  const isTooMuch = ({ count, tokens }: ToolImages): boolean =>
    count > USES_MAX ||
    (tokens !== undefined && tokens.input + tokens.imageInput + tokens.output > IMAGE_TOKENS_MAX)
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
