import type { ChatRules, ThoughtOfCalls } from '../rules/chat-rules.ts'

/** OpenAI's names, which compatible servers take as well. Source: platform.openai.com/docs/api-reference/chat/create */
export const COMPATIBLE_RULES: ChatRules = {
  names: { illegal: /[^\w-]/gu, lengthMax: 64 },
  callIds: { lengthMax: 40 },
}

export const OPENAI_RULES: ChatRules = { ...COMPATIBLE_RULES, stopsMax: 4, takesOpenaiTools: true }

/** The field that switches thinking off at the makers of the models that demand it back. */
export const THINKING_OFF: ThoughtOfCalls = { off: { thinking: { type: 'disabled' } } }

/** Other servers switch it off in ways of their own, and check no more than that there is a text. */
export const ANY_THOUGHT: ThoughtOfCalls = { text: ' ' }
