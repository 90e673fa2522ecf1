import { getModelRules } from '../anthropic-messages/thinking.ts'
import type { ChatRules, RuledCall, ThoughtOfCalls } from '../rules/chat-rules.ts'
import { toToolSchema } from '../rules/object-schema.ts'

/** OpenAI's names, which compatible servers take as well. Source: platform.openai.com/docs/api-reference/chat/create */
export const COMPATIBLE_RULES: ChatRules = {
  names: { illegal: /[^\w-]/gu, lengthMax: 64 },
  callIds: { lengthMax: 40 },
  toolSchema: toToolSchema,
}

interface ReasoningFamily {
  readonly pattern: RegExp
  /** The role that replaces `system`. */
  readonly systemRole: 'developer' | 'user'
}

/** The first match applies. Source: platform.openai.com/docs/guides/reasoning */
const FAMILIES: readonly ReasoningFamily[] = [
  { pattern: /^o1-(?:mini|preview)/, systemRole: 'user' },
  { pattern: /^(?:o\d|gpt-(?:[5-9]|\d{2})(?!-chat))/, systemRole: 'developer' },
]

const EFFORT_SUFFIX = /-(none|minimal|low|medium|high|xhigh)$/

/** What the name of one of OpenAI's reasoning models says. */
interface ReasoningModel extends ReasoningFamily {
  /** Without the suffix for the effort. */
  readonly name: string
  readonly suffix: string | undefined
}

/** Undefined for other models. */
export function readReasoningModel(model: string): ReasoningModel | undefined {
  const family = FAMILIES.find(({ pattern }) => pattern.test(model))
  if (!family) return undefined
  return { ...family, name: model.replace(EFFORT_SUFFIX, ''), suffix: EFFORT_SUFFIX.exec(model)?.[1] }
}

const TAKES_NONE = /^gpt-(?:5\.[1-9]|[6-9]|\d{2})/

/** Only the newest models accept the effort `none`; requests of other formats get the lowest of the others. */
export function effortOf({ name, suffix }: ReasoningModel, effort: unknown, isTranslated = false): unknown {
  if (suffix !== undefined) return suffix
  if (effort !== 'none' || !isTranslated || TAKES_NONE.test(name)) return effort
  return name.startsWith('gpt-5') ? 'minimal' : 'low'
}

/** Rejected while a model reasons; accepted with the effort `none`. */
const SAMPLING_FIELDS = [
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'logprobs',
  'top_logprobs',
  'logit_bias',
]

/** The name without the maker that some servers put in front of it. */
export const bareName = (model: string): string => model.slice(model.lastIndexOf('/') + 1)

const CLAUDE_SAMPLING = ['temperature', 'top_p', 'top_k']

/**
 * What OpenAI's reasoning models and Claude reject, whoever serves them, of another format's request: a chat client has its own
 * word.
 */
export function rejectedAnywhere(call: RuledCall): readonly string[] {
  if (!call.isTranslated) return []
  const model = bareName(call.model)
  if (!model.startsWith('claude-')) return rejectedByReasoning({ ...call, model })
  return getModelRules(model.replaceAll('.', '-')).takesSampling ? [] : CLAUDE_SAMPLING
}

function rejectedByReasoning({ body, model, isTranslated }: RuledCall): readonly string[] {
  const reasoning = readReasoningModel(model)
  return reasoning && effortOf(reasoning, body.reasoning_effort, isTranslated) !== 'none'
    ? SAMPLING_FIELDS
    : []
}

export const OPENAI_RULES: ChatRules = {
  ...COMPATIBLE_RULES,
  stopsMax: 4,
  takesOpenaiTools: true,
  rejects: rejectedByReasoning,
}

/** The field that switches thinking off at the makers of the models that demand it back. */
export const THINKING_OFF: ThoughtOfCalls = { off: { thinking: { type: 'disabled' } } }

/** Other servers switch it off in ways of their own, and check no more than that there is a text. */
export const ANY_THOUGHT: ThoughtOfCalls = { text: ' ' }
