import type { ChatBody, ResponseFormat } from '../../provider-kit/contract/chat.ts'
import type { ParsedBody, UrlParams } from '../../provider-kit/contract/client-dialect.ts'
import { isObject, omitNullish } from '../../provider-kit/json.ts'
import { withModel } from '../../provider-kit/validation.ts'
import { toCamelCase } from './camel-case.ts'
import { type GenerateJson, toGenerateJson } from './generate-json.ts'
import { nativeOnlyIn } from './native-only.ts'
import { toChatMessages } from './to-chat-messages.ts'
import { toChatTools } from './to-chat-tools.ts'
import { toJsonSchema } from './to-json-schema.ts'

const STREAM_METHOD = 'streamGenerateContent'
/** The most tokens of thought that count as these efforts, the smallest first. */
const EFFORT_OF_BUDGET: readonly (readonly [tokens: number, effort: string])[] = [
  [0, 'none'],
  [1_024, 'low'],
  [8_192, 'medium'],
  [Number.POSITIVE_INFINITY, 'high'],
]

/** Reads a body of `generateContent`, or of a question for its tokens. Source: ai.google.dev/api/generate-content */
export function parseGenerate(json: unknown, address: UrlParams = {}): ParsedBody<ChatBody> {
  const sent = toGenerateJson(withModel(unwrapped(toCamelCase(json)), address.model))
  const { maxOutputTokens, candidateCount } = sent.generationConfig ?? {}
  const limit = (maxOutputTokens ?? 0) * Math.max(candidateCount ?? 1, 1)
  const isStream = address.method === STREAM_METHOD
  return {
    body: { ...toChatBody(sent), ...(isStream && { stream: true }) },
    model: sent.model,
    isStream,
    maxOutputTokens: limit > 0 ? limit : undefined,
    wantsUsage: true,
    nativeOnlyFeature: nativeOnlyIn(sent),
  }
}

/** A question for tokens may hold the whole request that is meant. */
const unwrapped = (json: unknown): unknown =>
  isObject(json) && isObject(json.generateContentRequest) ? json.generateContentRequest : json

function toChatBody(sent: GenerateJson): ChatBody {
  const asked = sent.generationConfig ?? {}
  return {
    model: sent.model,
    messages: toChatMessages(sent),
    ...toChatTools(sent),
    ...omitNullish({
      temperature: asked.temperature,
      top_p: asked.topP,
      top_k: asked.topK,
      seed: asked.seed,
      max_tokens: asked.maxOutputTokens || undefined,
      n: (asked.candidateCount ?? 1) > 1 ? asked.candidateCount : undefined,
      stop: asked.stopSequences?.length ? asked.stopSequences : undefined,
      presence_penalty: asked.presencePenalty,
      frequency_penalty: asked.frequencyPenalty,
      response_format: formatOf(asked),
      reasoning_effort: effortOf(asked),
    }),
  }
}

type Asked = NonNullable<GenerateJson['generationConfig']>

/** Never strict: Google's schemas do not say what OpenAI then wants of them. */
function formatOf({
  responseMimeType,
  responseSchema,
  responseJsonSchema,
}: Asked): ResponseFormat | undefined {
  if (responseMimeType !== 'application/json') return undefined
  const schema = responseJsonSchema ?? (responseSchema ? toJsonSchema(responseSchema) : undefined)
  return schema ? { type: 'json_schema', json_schema: { name: 'response', schema } } : { type: 'json_object' }
}

/** A budget below 0 leaves it to the model. */
function effortOf({ thinkingConfig }: Asked): string | undefined {
  const { thinkingBudget: budget, thinkingLevel } = thinkingConfig ?? {}
  if (thinkingLevel) return thinkingLevel.toLowerCase()
  if (budget === undefined || budget === null || budget < 0) return undefined
  return EFFORT_OF_BUDGET.find(([most]) => budget <= most)?.[1]
}
