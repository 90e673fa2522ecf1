import { readMaxOutputTokens } from '../chat-request.ts'
import type { ChatBody } from '../contract/chat.ts'
import type { AvailableHostedTools } from '../contract/hosted-tool.ts'
import type { AdapterCall } from '../contract/operation-adapter.ts'
import { asArray, asObject, type JsonObject } from '../json.ts'
import { isClaudeSignature } from './foreign-blocks.ts'

const SUFFIX = /-thinking$/
const MAX_TOKENS_DEFAULT = 8_192
const BUDGET_SHARE = 0.8
/** The provider's minimum budget is 1,024 tokens, which is 0.8 of this limit. */
const MAX_TOKENS_MIN = 1_280
const BUDGET_OF_EFFORT: Readonly<Record<string, number>> = {
  minimal: 1_280,
  low: 1_280,
  medium: 2_048,
  high: 4_096,
}

/** The model name without the suffix that requests thinking. */
export const withoutThinkingSuffix = (model: string): string => model.replace(SUFFIX, '')
/** Whether the suffix of a model name requests thinking. */
export const asksToThink = (model: string): boolean => SUFFIX.test(model)

/** The fields that enable thinking, and the output limit that fits them. */
export interface Thinking {
  readonly maxTokens: number
  readonly thinking: JsonObject
  readonly effort?: string | undefined
}

interface ThinkingRequest {
  readonly hasSuffix: boolean
  readonly effort: string | undefined
  readonly maxTokens: number
}

/**
 * The thinking fields for a request. Undefined where the model cannot think or thinking was not requested. The budget
 * stays within the client's limit, which is raised only where the provider's minimum budget would not fit.
 * Source: docs.claude.com/en/docs/build-with-claude/extended-thinking
 */
export function planThinking(
  { hasSuffix, effort, maxTokens }: ThinkingRequest,
  rules: ModelRules,
): Thinking | undefined {
  const isRequested = hasSuffix || (effort !== undefined && effort !== 'none')
  if (!isRequested || rules.thinking === 'none') return undefined
  if (rules.thinking === 'adaptive')
    return { maxTokens, thinking: { type: 'adaptive' }, effort: effort === 'minimal' ? 'low' : effort }
  const limit = Math.max(maxTokens, MAX_TOKENS_MIN)
  const share = Math.floor(limit * BUDGET_SHARE)
  const budget = Math.min(BUDGET_OF_EFFORT[effort ?? ''] ?? share, share)
  return { maxTokens: limit, thinking: { type: 'enabled', budget_tokens: budget } }
}

type ThinkingCall = Pick<AdapterCall<ChatBody>, 'body' | 'model' | 'hostedTools'>

/** The thinking of a chat request. Undefined where there is none. */
export function thinkingOf({ body, model: name, hostedTools }: ThinkingCall): Thinking | undefined {
  if (!canThink(body, hostedTools)) return undefined
  const rules = getModelRules(withoutThinkingSuffix(name))
  const effort = body.reasoning_effort ?? undefined
  return planThinking({ hasSuffix: asksToThink(name), effort, maxTokens: outputLimitOf(body, rules) }, rules)
}

export const outputLimitOf = (body: ChatBody, { outputTokensMax }: ModelRules): number =>
  Math.min(readMaxOutputTokens(body) ?? MAX_TOKENS_DEFAULT, outputTokensMax)

/** Claude rejects thinking when a tool is forced, and in a tool loop whose earlier thinking lacks its signature. */
function canThink(body: ChatBody, hosted?: AvailableHostedTools): boolean {
  const choice = body.tool_choice ?? 'auto'
  const isForced = (choice !== 'auto' && choice !== 'none') || hosted?.forced !== undefined
  // What the user says after results belongs to the same turn as these.
  const last = body.messages.findLast(({ role }) => role === 'assistant')
  const isLoop = Boolean(last?.tool_calls?.length)
  return !isForced && (!isLoop || isClaudeSignature(last?.reasoning_signature))
}

/**
 * A Claude client's body, without a budget for thinking within a tool loop whose turn does not begin with its thinking:
 * another provider made it. What edits the thinking goes, too, since Claude rejects it where there is none.
 */
export function withPossibleThinking(body: JsonObject): JsonObject {
  const last = asArray(body.messages).findLast(message => asObject(message).role === 'assistant')
  const types = asArray(asObject(last).content).map(block => asObject(block).type)
  const isLoop = types.includes('tool_use')
  const isThought = types[0] === 'thinking' || types[0] === 'redacted_thinking'
  if (asObject(body.thinking).type !== 'enabled' || !isLoop || isThought) return body
  const { thinking: _, context_management: management, ...rest } = body
  const edits = asArray(asObject(management).edits).filter(
    edit => !String(asObject(edit).type).startsWith('clear_thinking'),
  )
  return edits.length > 0 ? { ...rest, context_management: { ...asObject(management), edits } } : rest
}

/** Differences between Claude models. Source: docs.claude.com/en/docs/about-claude/models */
export interface ModelRules {
  readonly outputTokensMax: number
  /** `budget`: takes a number of thinking tokens; `adaptive`: takes an effort. */
  readonly thinking: 'none' | 'budget' | 'adaptive'
  /** Models from Opus 4.7 on take neither `temperature` nor `top_p` nor `top_k`. */
  readonly takesSampling: boolean
  /** Later models reject `top_p` together with `temperature`. */
  readonly takesTopPWithTemperature: boolean
  /** Supports `output_config.format` and strict tools. */
  readonly takesSchema: boolean
}

type Rule = readonly [pattern: RegExp, rules: ModelRules]

const rules = (
  outputTokensMax: number,
  thinking: ModelRules['thinking'],
  generation: 3 | 4 | 4.5 | 4.7,
): ModelRules => ({
  outputTokensMax,
  thinking,
  takesSampling: generation < 4.7,
  takesTopPWithTemperature: generation === 3,
  takesSchema: generation >= 4.5,
})

/** The first match applies. A name without a match is a later model than all of these. */
const RULES: readonly Rule[] = [
  [/^claude-(?:instant|1|2)/, rules(4_096, 'none', 3)],
  [/^claude-3-7/, rules(64_000, 'budget', 3)],
  [/^claude-3-5/, rules(8_192, 'none', 3)],
  [/^claude-3-/, rules(4_096, 'none', 3)],
  [/^claude-opus-4-1/, rules(32_000, 'budget', 4.5)],
  [/^claude-opus-4(?:-0|-\d{8}|@|$)/, rules(32_000, 'budget', 4)],
  [/^claude-sonnet-4(?:-0|-\d{8}|@|$)/, rules(64_000, 'budget', 4)],
  [/^claude-[a-z]+-4-5/, rules(64_000, 'budget', 4.5)],
  [/^claude-[a-z]+-4-6/, rules(128_000, 'adaptive', 4.5)],
]
const LATEST_RULES = rules(128_000, 'adaptive', 4.7)

/** The rules of a model, by Claude's own name for it. */
export const getModelRules = (model: string): ModelRules =>
  RULES.find(([pattern]) => pattern.test(model))?.[1] ?? LATEST_RULES
