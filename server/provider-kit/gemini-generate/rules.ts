import type { ChatRules } from '../rules/chat-rules.ts'

/** Source: ai.google.dev/api/caching#FunctionDeclaration */
export const GEMINI_RULES: ChatRules = {
  names: { illegal: /[^\w.-]/gu, lengthMax: 64, beginsWithLetter: true },
  stopsMax: 5,
  rejects: ['logit_bias', 'prediction'],
  takesValidated: true,
  thoughtForm: 'calls',
}
