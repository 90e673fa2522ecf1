import type { ModelBend } from '../../core/errors.ts'
import type { DialectName } from '../contract/operation-adapter.ts'
import { asArray, asObject, isObject, type JsonObject } from '../json.ts'

/** The least ones are left out: most models reject them. */
type LoweredEffort = NonNullable<ModelBend['effort']>['to']

/** The lowest first. */
const EFFORTS: readonly string[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

/** Thinking tokens of an effort, which every format that counts them reads as the same effort again. */
const TOKENS: Readonly<Record<LoweredEffort, number>> = {
  low: 1_024,
  medium: 4_096,
  high: 24_576,
}

/** Negative for what is no effort. Google writes them in upper case, too. */
const rankOf = (effort: unknown): number => EFFORTS.indexOf(String(effort).toLowerCase())

/** The name says how much the model thinks, whatever a request says, or the model knows one effort only. */
const IS_FIXED = /-(?:none|minimal|low|medium|high|xhigh|nothinking|thinking(?:-\d+)?)$|^gpt-5[\d.]*-pro/

/**
 * How much models think of which a request asks nothing. Others do not think by themselves, or it is unknown. Sources:
 * platform.openai.com/docs/guides/reasoning; ai.google.dev/gemini-api/docs/thinking
 */
const OWN_EFFORTS: readonly (readonly [model: RegExp, effort: string])[] = [
  [/^(?:o1|o3|o3-mini|o4-mini|gpt-5(?:-mini|-nano|-codex)?)(?:-\d{4}-\d\d-\d\d)?$/, 'medium'],
  [/^gemini-(?:2\.5|3(?:\.\d+)?)-(?:pro|flash)(?:-preview)?(?:-\d\d-\d{2,4})?$/, 'high'],
]

/** Whether a request thinks more than an effort. `stated`: by its client; empty where it leaves that to the model. */
export function thinksMore(stated: string, model: string, effort: LoweredEffort): boolean {
  if (IS_FIXED.test(model)) return false
  const own = OWN_EFFORTS.find(([pattern]) => pattern.test(model))?.[1]
  return rankOf(stated === '' ? own : stated) > rankOf(effort)
}

/** `format`: that of the body. */
export type BodyChange = (body: JsonObject, format: DialectName) => JsonObject

/**
 * Puts another model into bodies that name one, and lowers the effort wherever a body states one. One that states none receives
 * it in the formats whose models may think by themselves; elsewhere that would switch thinking on.
 */
export const bendBody =
  ({ to: model, effort }: Pick<ModelBend, 'to' | 'effort'>): BodyChange =>
  (body, format) => {
    const renamed = 'model' in body ? { ...body, model } : body
    return effort ? WRITERS[format](renamed, effort.to) : renamed
  }

const states = (object: JsonObject, field: string): boolean => (object[field] ?? undefined) !== undefined

const lowered = (stated: unknown, effort: LoweredEffort): unknown =>
  rankOf(stated) > rankOf(effort) ? effort : stated

/** An object with at most this effort in a field; the same one where it states none. */
const withLowered = (value: unknown, field: string, effort: LoweredEffort): JsonObject => {
  const object = asObject(value)
  return states(object, field) ? { ...object, [field]: lowered(object[field], effort) } : object
}

/** An object whose field is an object with at most this effort; the same one where that states none. */
function withLoweredIn(value: unknown, [outer, field]: readonly [string, string], effort: LoweredEffort) {
  const object = asObject(value)
  return states(asObject(object[outer]), field)
    ? { ...object, [outer]: withLowered(object[outer], field, effort) }
    : object
}

function withLoweredTokens(body: JsonObject, field: string, effort: LoweredEffort): JsonObject {
  const thinking = asObject(body.thinking)
  const tokens = thinking[field]
  return typeof tokens === 'number' && tokens > TOKENS[effort]
    ? { ...body, thinking: { ...thinking, [field]: TOKENS[effort] } }
    : body
}

type Writer = (body: JsonObject, effort: LoweredEffort) => JsonObject

const WRITERS: Readonly<Record<DialectName, Writer>> = {
  openai: (body, effort) =>
    'messages' in body && !states(body, 'reasoning_effort')
      ? { ...body, reasoning_effort: effort }
      : withLowered(body, 'reasoning_effort', effort),
  responses: toResponses,
  anthropic: toMessages,
  gemini: toGenerate,
  interactions: (body, effort) => withLoweredIn(body, ['generation_config', 'thinking_level'], effort),
  cohere: (body, effort) => withLoweredTokens(body, 'token_budget', effort),
}

/** The last item that changes the effort counts, and else that of the request. */
function toResponses(body: JsonObject, effort: LoweredEffort): JsonObject {
  const path = ['reasoning', 'effort'] as const
  const withItems = withEach(body, 'input', item => withLoweredIn(item, path, effort))
  return 'input' in body && withItems === body && !states(asObject(body.reasoning), 'effort')
    ? { ...body, reasoning: { ...asObject(body.reasoning), effort } }
    : withLoweredIn(withItems, path, effort)
}

/** A message may change the effort for the turns after it. */
function toMessages(body: JsonObject, effort: LoweredEffort): JsonObject {
  const path = ['output_config', 'effort'] as const
  const withTurns = withEach(body, 'messages', turn => withLoweredIn(turn, path, effort))
  return withLoweredTokens(withLoweredIn(withTurns, path, effort), 'budget_tokens', effort)
}

/** The same body where no entry changes. */
function withEach(body: JsonObject, field: string, change: (entry: JsonObject) => JsonObject): JsonObject {
  const entries = asArray(body[field])
  const changed = entries.map(entry => (isObject(entry) ? change(entry) : entry))
  return changed.every((entry, at) => entry === entries[at]) ? body : { ...body, [field]: changed }
}

/** Clients may write the fields in snake case. A negative number of tokens leaves it to the model. */
function toGenerate(body: JsonObject, effort: LoweredEffort): JsonObject {
  if (!('contents' in body)) return body
  const outer = spellingIn(body, 'generationConfig', 'generation_config')
  const config = asObject(body[outer])
  const inner = spellingIn(config, 'thinkingConfig', 'thinking_config')
  const thinking = asObject(config[inner])
  const level = spellingIn(thinking, 'thinkingLevel', 'thinking_level')
  const field = spellingIn(thinking, 'thinkingBudget', 'thinking_budget')
  const most = TOKENS[effort]
  const tokens = thinking[field]
  const limited = typeof tokens === 'number' && tokens >= 0 ? Math.min(tokens, most) : most
  const changed = states(thinking, level)
    ? withLowered(thinking, level, effort)
    : { ...thinking, [field]: limited }
  return { ...body, [outer]: { ...config, [inner]: changed } }
}

const spellingIn = (object: JsonObject, camel: string, snake: string): string =>
  snake in object ? snake : camel
