import type { ChatRules, RuledCall } from '../rules/chat-rules.ts'
import { toClaudeToolSchema } from '../rules/object-schema.ts'
import { CLAUDE_IDS } from './foreign-blocks.ts'
import { getModelRules, thinkingOf, withoutThinkingSuffix } from './thinking.ts'

const SAMPLING = ['temperature', 'top_p', 'top_k']
/** Fields of chat completions without a counterpart. */
const UNKNOWN = [
  'n',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'prediction',
]

/** No sampling parameter is allowed while Claude thinks. */
export function rejectedByClaude(call: RuledCall): readonly string[] {
  const { takesSampling, takesTopPWithTemperature } = getModelRules(withoutThinkingSuffix(call.model))
  if (!takesSampling || thinkingOf(call)) return [...UNKNOWN, ...SAMPLING]
  const hasTemperature = typeof call.body.temperature === 'number'
  return hasTemperature && !takesTopPWithTemperature ? [...UNKNOWN, 'top_p'] : UNKNOWN
}

export const CLAUDE_RULES: ChatRules = {
  names: CLAUDE_IDS,
  callIds: CLAUDE_IDS,
  temperatureMax: 1,
  thoughtForm: 'signed',
  rejects: rejectedByClaude,
  toolSchema: toClaudeToolSchema,
}
