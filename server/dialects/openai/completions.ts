import { z } from 'zod'
import type { BothLanguages } from '../../core/language.ts'
import type { Usage } from '../../core/usage.ts'
import type { ChatReply, FinishReason } from '../../provider-kit/contract/chat.ts'
import type {
  ParsedBody,
  ResponseContext,
  StreamPassthrough,
  StreamWriter,
  UrlParams,
} from '../../provider-kit/contract/client-dialect.ts'
import type { CompletionsBody } from '../../provider-kit/contract/operations.ts'
import { expected } from '../../provider-kit/first-problem.ts'
import type { JsonObject } from '../../provider-kit/json.ts'
import {
  checkBody,
  invalidRequest,
  MODEL_NAME_CHARS_MAX,
  OUTPUT_TOKENS_MAX,
  withModel,
} from '../../provider-kit/validation.ts'
import { createChatPassthrough, DONE_EVENT, errorEvent, toOpenaiUsage, usageChunk } from './chat-response.ts'

const PROMPTS_MAX = 2_048
const PROMPT_TOKENS_MAX = 2 ** 20
const CHOICES_MAX = 128
const STOPS_MAX = 16

const TokenIds = z.array(z.int().min(0)).min(1).max(PROMPT_TOKENS_MAX)

const CompletionsJson = z.looseObject({
  model: z.string().max(MODEL_NAME_CHARS_MAX),
  prompt: z.union(
    [
      z.string(),
      z.array(z.string()).min(1).max(PROMPTS_MAX),
      TokenIds,
      z.array(TokenIds).min(1).max(PROMPTS_MAX),
    ],
    {
      error: expected({
        zh: '文本、文本数组，或一个或多个 Token ID 数组',
        en: 'text, a list of texts, or one or more lists of token IDs',
      }),
    },
  ),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: z.int().min(0).max(OUTPUT_TOKENS_MAX).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  n: z.int().min(1).max(CHOICES_MAX).nullish(),
  best_of: z.int().min(1).max(CHOICES_MAX).nullish(),
  stop: z
    .union([z.string(), z.array(z.string()).max(STOPS_MAX)], {
      error: expected({ zh: '文本或文本数组', en: 'text or a list of texts' }),
    })
    .nullish(),
  suffix: z.string().nullish(),
  echo: z.boolean().nullish(),
  logprobs: z.int().min(0).nullish(),
})

/**
 * Parses a text completions body and keeps unknown fields. Throws a GatewayError `invalid_request` or
 * `model_required`. Source: platform.openai.com/docs/api-reference/completions/create
 */
export function parseCompletions(json: unknown, { model }: UrlParams = {}): ParsedBody<CompletionsBody> {
  const body = toCompletionsBody(withModel(json, model))
  const prompts = Array.isArray(body.prompt) && typeof body.prompt[0] !== 'number' ? body.prompt.length : 1
  const choices = Math.max(body.n ?? 1, Number(body.best_of ?? 1)) * prompts
  const limit = (body.max_tokens ?? 0) * choices
  return {
    body,
    model: body.model,
    isStream: body.stream ?? false,
    maxOutputTokens: limit > 0 ? limit : undefined,
    choices,
    wantsUsage: body.stream_options?.include_usage ?? false,
    nativeOnlyFeature: findNativeOnlyFeature(body),
    ...(body.echo === true && { echoedFields: { prompt: body.prompt } }),
  }
}

/** Parses a body in Mistral's format. Its streams always end with usage. Throws as `parseCompletions` does. */
export function parseFim(json: unknown, params: UrlParams = {}): ParsedBody<CompletionsBody> {
  const parsed = parseCompletions(json, params)
  const { prompt } = parsed.body
  if (typeof prompt !== 'string')
    return invalidRequest('prompt', { zh: '数组', en: 'a list' }, { zh: '文本', en: 'text' })
  return { ...parsed, wantsUsage: true, nativeOnlyFeature: FIM }
}

const FIM = { zh: '前后文之间的补全', en: 'completion between a prompt and a suffix' }

/** The first feature that a chat request cannot express. */
function findNativeOnlyFeature({
  prompt,
  suffix,
  logprobs,
  best_of,
}: CompletionsBody): BothLanguages | undefined {
  if (typeof prompt !== 'string' && (prompt.length > 1 || typeof prompt[0] !== 'string'))
    return { zh: 'prompt：多个提示词或 Token ID', en: 'prompt: several prompts or token IDs' }
  if (suffix) return { zh: 'suffix：补全之后的文本', en: 'suffix: text that follows the completion' }
  if (typeof logprobs === 'number') return { zh: 'logprobs：对数概率', en: 'logprobs: log probabilities' }
  return Number(best_of ?? 1) > 1
    ? { zh: 'best_of：取多个补全中最佳的一个', en: 'best_of: the best of several completions' }
    : undefined
}

/** The cast is safe because the schema has just accepted the same value and converts nothing. */
function toCompletionsBody(json: unknown): CompletionsBody {
  checkBody(CompletionsJson, json)
  return json as CompletionsBody
}

/** A `text_completion` object. Source: platform.openai.com/docs/api-reference/completions/object */
export const writeCompletions = (reply: ChatReply, usage: Usage, context: ResponseContext): JsonObject => ({
  ...completionHead(context),
  choices: reply.choices.map(({ text, finish }, index) =>
    toCompletionChoice(index, echoedPrompt(context) + text, finish),
  ),
  usage: toOpenaiUsage(usage),
})

/** Reasoning and tool calls have no place in this API and are dropped. */
export function createCompletionsWriter(context: ResponseContext): StreamWriter {
  const head = completionChunkHead(context)
  const echoedChoices = new Set<number>()
  const chunk = (choice: JsonObject): string => `${head},"choices":[${JSON.stringify(choice)}]}\n\n`
  const echo = (choice: number): string => {
    if (echoedChoices.has(choice)) return ''
    echoedChoices.add(choice)
    return echoedPrompt(context)
  }
  return {
    write(piece) {
      if (piece.type !== 'text-delta' && piece.type !== 'refusal-delta' && piece.type !== 'finish') return ''
      const { choice = 0 } = piece
      const text = echo(choice) + (piece.type === 'finish' ? '' : piece.text)
      return chunk(toCompletionChoice(choice, text, piece.type === 'finish' ? piece.reason : null))
    },
    end: usage => (context.wantsUsage && usage ? usageChunk(head, usage) : '') + DONE_EVENT,
    fail: error => errorEvent(error, context.requestId),
  }
}

export const createCompletionsPassthrough = (context: ResponseContext): StreamPassthrough =>
  createChatPassthrough(context, completionChunkHead(context))

const completionHead = ({ requestId, nowSeconds, model }: ResponseContext): JsonObject => ({
  id: `cmpl-${requestId}`,
  object: 'text_completion',
  created: nowSeconds,
  model,
})

const completionChunkHead = (context: ResponseContext): string =>
  `data: ${JSON.stringify(completionHead(context)).slice(0, -1)}`

/** The prompt, where the client requests to have it repeated. */
const echoedPrompt = ({ echoedFields }: ResponseContext): string =>
  [echoedFields.prompt ?? ''].flat().join('')

const toCompletionChoice = (index: number, text: string, finish: FinishReason | null): JsonObject => ({
  text,
  index,
  logprobs: null,
  finish_reason: finish === 'tool_calls' ? 'stop' : finish,
})
