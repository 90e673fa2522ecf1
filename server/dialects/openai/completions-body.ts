import { z } from 'zod'
import type { ParsedBody, UrlParams } from '../../provider-kit/contract/client-dialect.ts'
import type { CompletionsBody } from '../../provider-kit/contract/operations.ts'
import { checkBody, withModel } from '../../provider-kit/validation.ts'

const MODEL_CHARS_MAX = 256
const PROMPTS_MAX = 2_048
const PROMPT_TOKENS_MAX = 2 ** 20
const TOKENS_MAX = 2 ** 30
const CHOICES_MAX = 128
const STOPS_MAX = 16

const TokenIds = z.array(z.int().min(0)).min(1).max(PROMPT_TOKENS_MAX)

const CompletionsJson = z.looseObject({
  model: z.string().max(MODEL_CHARS_MAX),
  prompt: z.union(
    [
      z.string(),
      z.array(z.string()).min(1).max(PROMPTS_MAX),
      TokenIds,
      z.array(TokenIds).min(1).max(PROMPTS_MAX),
    ],
    { error: 'text, a list of texts, or one or more lists of token ids' },
  ),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: z.int().min(0).max(TOKENS_MAX).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  n: z.int().min(1).max(CHOICES_MAX).nullish(),
  best_of: z.int().min(1).max(CHOICES_MAX).nullish(),
  stop: z
    .union([z.string(), z.array(z.string()).max(STOPS_MAX)], { error: 'text or a list of texts' })
    .nullish(),
  suffix: z.string().nullish(),
  echo: z.boolean().nullish(),
  logprobs: z.int().min(0).nullish(),
})

/** Reads a body of the first API. Unknown fields stay. */
export function parseCompletions(json: unknown, { model }: UrlParams = {}): ParsedBody<CompletionsBody> {
  const body = toCompletionsBody(withModel(json, model))
  const prompts = Array.isArray(body.prompt) && typeof body.prompt[0] !== 'number' ? body.prompt.length : 1
  const limit = (body.max_tokens ?? 0) * Math.max(body.n ?? 1, Number(body.best_of ?? 1)) * prompts
  return {
    body,
    model: body.model,
    isStream: body.stream ?? false,
    maxOutputTokens: limit > 0 ? limit : undefined,
    wantsUsage: body.stream_options?.include_usage ?? false,
    nativeOnlyFeature: nativeOnlyIn(body),
    ...(body.echo === true && { echoedFields: { prompt: body.prompt } }),
  }
}

/** What a chat cannot be asked for. */
function nativeOnlyIn({ prompt, suffix, logprobs, best_of }: CompletionsBody): string | undefined {
  if (typeof prompt !== 'string' && (prompt.length > 1 || typeof prompt[0] !== 'string'))
    return 'prompt: several prompts, or token ids'
  if (suffix) return 'suffix: a text to end in'
  if (typeof logprobs === 'number') return 'logprobs: probabilities'
  return Number(best_of ?? 1) > 1 ? 'best_of: a choice among several' : undefined
}

/** The cast is safe because the schema has just accepted the same value; the schema only looks, so nothing is lost. */
function toCompletionsBody(json: unknown): CompletionsBody {
  checkBody(CompletionsJson, json)
  return json as CompletionsBody
}
