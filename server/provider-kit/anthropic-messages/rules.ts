import type { ChatRules } from '../rules/chat-rules.ts'
import type { NameRule } from '../rules/legal-names.ts'

/** Source: docs.claude.com/en/api/messages */
export const CLAUDE_IDS: NameRule = { illegal: /[^\w-]/gu, lengthMax: 128 }

export const CLAUDE_RULES: ChatRules = { names: CLAUDE_IDS, callIds: CLAUDE_IDS }
