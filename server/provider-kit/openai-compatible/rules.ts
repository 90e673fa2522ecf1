import type { ChatRules } from '../rules/chat-rules.ts'

/** OpenAI's names, which compatible servers take as well. Source: platform.openai.com/docs/api-reference/chat/create */
export const COMPATIBLE_RULES: ChatRules = {
  names: { illegal: /[^\w-]/gu, lengthMax: 64 },
  callIds: { lengthMax: 40 },
}

export const OPENAI_RULES: ChatRules = { ...COMPATIBLE_RULES, stopsMax: 4, takesAllowedTools: true }
