import { findAmbiguousKey } from './body-fields.ts'
import type { ChatBody } from './contract/chat.ts'
import type { ParsedBody } from './contract/client-dialect.ts'
import type { JsonObject } from './json.ts'
import { MODEL_NAME_CHARS_MAX, OUTPUT_TOKENS_MAX } from './validation.ts'

interface UnjudgedFields {
  readonly json: JsonObject
  readonly model: unknown
  readonly stream: unknown
  readonly maxOutputTokens: unknown
  readonly choices?: unknown
  /** The object that holds the limits, where it is not the body itself. */
  readonly limits?: JsonObject
}

/** Fields that decide the price, in the names of every dialect. */
const PRICED_FIELDS = {
  model: true,
  stream: true,
  background: true,
  max_tokens: true,
  max_output_tokens: true,
  maxOutputTokens: true,
  budget_tokens: true,
  candidateCount: true,
  generationConfig: true,
  service_tier: true,
  tools: true,
}

/**
 * A body that its provider alone judges. Everything in it counts as prompt. Undefined when the model is not a name, since
 * no provider could be chosen, and when a provider might read another price from it than we do.
 */
export function unjudgedBody(fields: UnjudgedFields): ParsedBody<ChatBody> | undefined {
  const { json, model } = fields
  if (typeof model !== 'string' || model.length > MODEL_NAME_CHARS_MAX) return undefined
  if ([json, fields.limits ?? {}].some(object => findAmbiguousKey(object, PRICED_FIELDS))) return undefined
  const choices = toCount(fields.choices) ?? 1
  const maxOutputTokens = toCount(fields.maxOutputTokens)
  return {
    body: { model, messages: [{ role: 'user', content: JSON.stringify(json) }] },
    model,
    isStream: fields.stream === true,
    maxOutputTokens: maxOutputTokens && maxOutputTokens * choices,
    choices,
    wantsUsage: true,
  }
}

const toCount = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= OUTPUT_TOKENS_MAX
    ? value
    : undefined
