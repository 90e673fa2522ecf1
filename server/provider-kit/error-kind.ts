import type { Failure } from './failures.ts'

/**
 * Errors that clients act on, and that each dialect says in its own words: an agent ends its run at an unknown model or a
 * spent budget, and compacts its conversation when the context overflows.
 */
export type ErrorKind = 'unknown model' | 'spent budget' | 'context overflow' | 'content filter'

/** Codes and types, ours and those of providers. */
const KIND_OF_CODE: ReadonlyMap<string, ErrorKind> = new Map([
  ['model_not_found', 'unknown model'],
  ['model_price_missing', 'unknown model'],
  ['insufficient_user_quota', 'spent budget'],
  ['insufficient_token_quota', 'spent budget'],
  ['token_exhausted', 'spent budget'],
  ['budget_exceeded', 'spent budget'],
  ['context_length_exceeded', 'context overflow'],
  ['content_filter', 'content filter'],
  ['content_policy_violation', 'content filter'],
  ['data_inspection_failed', 'content filter'],
  ['DataInspectionFailed', 'content filter'],
  ['sensitive_words_detected', 'content filter'],
])

/** A prompt that is too long is the request's fault. Statuses from providers: 400, Anthropic's 413, Mistral's 422. */
const OVERFLOW_STATUSES: ReadonlySet<number> = new Set([400, 413, 422])

/**
 * How providers say that input and output exceed the context window: OpenAI and its family, Anthropic, Gemini, Bedrock,
 * Ali, Moonshot, xAI, Cohere, llama.cpp.
 */
const OVERFLOW_MESSAGE = new RegExp(
  [
    'prompt is too long',
    'input is too long',
    'maximum context length',
    "exceeds? (?:the |this |your )?(?:model's |available )?(?:maximum |max )?context",
    'context (?:window|limit|size|length)',
    'input token count .{0,40}exceeds',
    'maximum (?:number of tokens|prompt length)',
    'range of input length should be',
    'exceeded model token limit',
    'too many tokens',
  ].join('|'),
  'i',
)

const STATUS_NOT_FOUND = 404
const UNKNOWN_MODEL_STATUSES: ReadonlySet<number> = new Set([400, STATUS_NOT_FOUND])

/**
 * How providers say that they do not have a model: OpenAI and its family, Azure, Gemini, Mistral, DeepSeek, Moonshot, Bedrock,
 * OpenRouter, Ollama, Zhipu.
 */
const UNKNOWN_MODEL_MESSAGE = new RegExp(
  [
    '^(?:the )?(?:provided |requested )?models?\\b.{0,160}(?:not found|not exist|identifier is invalid)',
    '^the api deployment .{0,60}does not exist',
    '^not found the model',
    '^(?:invalid|unknown) model\\b',
    'is not a valid model',
    '^模型不存在',
  ].join('|'),
  'i',
)
/** Anthropic's message is nothing but the name. */
const MODEL_NAME_ONLY = /^model: \S+$/

const isUnknownModel = ({ status, message }: KindFields): boolean =>
  UNKNOWN_MODEL_STATUSES.has(status) &&
  (UNKNOWN_MODEL_MESSAGE.test(message) || (status === STATUS_NOT_FOUND && MODEL_NAME_ONLY.test(message)))

/** Undefined for every other error. */
export function readErrorKind(error: KindFields): ErrorKind | undefined {
  const { code, type, status, message } = error
  const known = KIND_OF_CODE.get(code) ?? (type === undefined ? undefined : KIND_OF_CODE.get(type))
  // A provider's budget is the operator's, not the client's. Only providers' errors have a type.
  if (known === 'spent budget' && type !== undefined) return undefined
  if (known) return known
  if (OVERFLOW_STATUSES.has(status) && OVERFLOW_MESSAGE.test(message)) return 'context overflow'
  return isUnknownModel(error) ? 'unknown model' : undefined
}

type KindFields = Pick<Failure, 'code' | 'type' | 'status' | 'message'>

/** The limit that rejects a request, for headers: the cause of the error. */
export class RateLimitState {
  readonly counted: 'requests' | 'tokens' | 'quota'
  readonly limit: number
  readonly remaining: number
  /** Unix seconds. Undefined: never. */
  readonly resetsAt: number | undefined

  constructor({ counted, limit, remaining, resetsAt }: RateLimitState) {
    this.counted = counted
    this.limit = limit
    this.remaining = remaining
    this.resetsAt = resetsAt
  }
}

/** The limit that an error names as its cause. */
export const rateLimitOf = (error: unknown): RateLimitState | undefined =>
  error instanceof Error && error.cause instanceof RateLimitState ? error.cause : undefined
