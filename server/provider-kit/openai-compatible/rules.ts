import type { ChatRules, RulesOfModels, ThoughtOfCalls } from '../rules/chat-rules.ts'

/** OpenAI's names, which compatible servers take as well. Source: platform.openai.com/docs/api-reference/chat/create */
export const COMPATIBLE_RULES: ChatRules = {
  names: { illegal: /[^\w-]/gu, lengthMax: 64 },
  callIds: { lengthMax: 40 },
}

export const OPENAI_RULES: ChatRules = { ...COMPATIBLE_RULES, stopsMax: 4, takesAllowedTools: true }

/**
 * The thinking models that reject a history whose tool calls lack the thinking before them. Source:
 * api-docs.deepseek.com/guides/thinking_mode, platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model,
 * platform.xiaomimimo.com/docs
 */
const DEMANDS_THOUGHTS = /deepseek-(?:v[4-9]|reasoner)|kimi-(?:k2-thinking|k2\.[5-9]|k[3-9])|mimo-v\d/i

/** The field that switches thinking off at the makers of these models. */
export const THINKING_OFF: ThoughtOfCalls = { off: { thinking: { type: 'disabled' } } }

/** Servers switch thinking off in ways of their own, and check no more than that there is a text. */
const ANY_THOUGHT: ThoughtOfCalls = { text: ' ' }

export const demandsThoughts = (model: string): boolean => DEMANDS_THOUGHTS.test(model)

/** The rules of a compatible server that hosts models of many makers. */
export const toHostRules =
  (own: RulesOfModels = {}): ((model: string) => ChatRules) =>
  model => ({
    ...COMPATIBLE_RULES,
    ...(demandsThoughts(model) && { thoughtOfCalls: ANY_THOUGHT }),
    ...(typeof own === 'function' ? own(model) : own),
  })
