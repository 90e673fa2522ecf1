import type { JsonObject } from '../contract/chat.ts'
import type { AdapterCall } from '../contract/operation-adapter.ts'
import { asArray, asObject, asString } from '../json.ts'

interface ReasoningFamily {
  readonly pattern: RegExp
  /** The role that stands for `system`. */
  readonly systemRole: 'developer' | 'user'
}

/** The first match counts. Source: platform.openai.com/docs/guides/reasoning */
const FAMILIES: readonly ReasoningFamily[] = [
  { pattern: /^o1-(?:mini|preview)/, systemRole: 'user' },
  { pattern: /^(?:o\d|gpt-5(?!-chat))/, systemRole: 'developer' },
]

const EFFORT_SUFFIX = /-(none|minimal|low|medium|high|xhigh)$/

/** Refused while a model reasons; accepted again with the effort `none`. */
const SAMPLING_FIELDS: ReadonlySet<string> = new Set([
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'logprobs',
  'top_logprobs',
  'logit_bias',
])

/**
 * Brings a body into the form that OpenAI's reasoning models accept; other models' bodies stay as they are.
 * An effort at the end of the model's name, as in `o3-mini-high`, becomes `reasoning_effort`. Clients of other dialects
 * do not know that the other models refuse an effort.
 */
export function toReasoningModelBody(
  body: JsonObject,
  call?: Pick<AdapterCall<unknown>, 'isTranslated'>,
): JsonObject {
  const model = asString(body.model) ?? ''
  const family = FAMILIES.find(({ pattern }) => pattern.test(model))
  if (!family) return call?.isTranslated ? withoutEffort(body) : body
  const { model: name, effort: suffix } = splitEffort(model)
  const effort =
    suffix ?? (call?.isTranslated ? leastEffort(name, body.reasoning_effort) : body.reasoning_effort)
  const { max_tokens, ...rest } = effort === 'none' ? body : withoutSampling(body)
  return {
    ...rest,
    model: name,
    messages: withSystemRole(body.messages, family.systemRole),
    max_completion_tokens: body.max_completion_tokens ?? max_tokens ?? undefined,
    reasoning_effort: effort,
  }
}

/** The name of a reasoning model without the effort at its end. */
export function splitEffort(name: string): { readonly model: string; readonly effort: string | undefined } {
  const isReasoning = FAMILIES.some(({ pattern }) => pattern.test(name))
  const effort = isReasoning ? EFFORT_SUFFIX.exec(name)?.[1] : undefined
  return { model: effort === undefined ? name : name.replace(EFFORT_SUFFIX, ''), effort }
}

/** Not to think at all is a wish that only the newest of these models grant; the others think as little as they can. */
function leastEffort(model: string, effort: unknown): unknown {
  if (effort !== 'none' || /^gpt-5\.[1-9]/.test(model)) return effort
  return model.startsWith('gpt-5') ? 'minimal' : 'low'
}

function withoutEffort({ reasoning_effort, ...body }: JsonObject): JsonObject {
  return body
}

const withoutSampling = (body: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([field]) => !SAMPLING_FIELDS.has(field)))

const withSystemRole = (messages: unknown, role: string): readonly unknown[] =>
  asArray(messages).map(message =>
    asObject(message).role === 'system' ? { ...asObject(message), role } : message,
  )
