import type { ChatBody, JsonObject } from '../chat.ts'
import { outputLimitOf, refuseLegacyFunctions, stopsOf } from '../chat-request.ts'
import type { Call } from '../exchange.ts'
import { type ModelRules, rulesOf } from './model-rules.ts'
import { asksToThink, canThink, planThinking, withoutThinkingSuffix } from './thinking.ts'
import { toAnthropicMessages, toAnthropicSystem } from './to-messages.ts'
import { toAnthropicTools } from './to-tools.ts'

/** Claude wants a limit; this one holds where the client set none. */
const MAX_TOKENS_DEFAULT = 8_192

/** Source: docs.claude.com/en/api/messages. `n`, seeds, penalties and log probabilities have no counterpart and stay behind. */
export function toAnthropicBody({ body, model: name, isStream }: Call<ChatBody>): JsonObject {
  refuseLegacyFunctions(body)
  const model = withoutThinkingSuffix(name)
  const rules = rulesOf(model)
  const maxTokens = Math.min(outputLimitOf(body) ?? MAX_TOKENS_DEFAULT, rules.outputTokensMax)
  const wish = { hasSuffix: asksToThink(name), effort: body.reasoning_effort ?? undefined, maxTokens }
  const plan = canThink(body) ? planThinking(wish, rules) : undefined
  const schema = schemaOf(body)
  const format = schema && rules.takesSchema ? { type: 'json_schema', schema } : undefined
  return {
    model,
    max_tokens: plan?.maxTokens ?? maxTokens,
    system: toAnthropicSystem(body, format ? undefined : formatInstruction(body)),
    messages: toAnthropicMessages(body),
    ...toAnthropicTools(body, rules),
    ...(plan ? undefined : toSampling(body, rules)),
    stop_sequences: stopsOf(body),
    thinking: plan?.thinking,
    output_config: plan?.effort || format ? { effort: plan?.effort, format } : undefined,
    metadata: typeof body.user === 'string' ? { user_id: body.user } : undefined,
    stream: isStream,
  }
}

/** None of them is allowed while Claude thinks. */
function toSampling(body: ChatBody, rules: ModelRules): JsonObject {
  const temperature = body.temperature ?? undefined
  const isTopPAllowed = temperature === undefined || rules.takesTopPWithTemperature
  return {
    temperature: temperature === undefined ? undefined : Math.min(temperature, 1),
    top_p: isTopPAllowed ? (body.top_p ?? undefined) : undefined,
    top_k: body.top_k ?? undefined,
  }
}

const schemaOf = ({ response_format: format }: ChatBody): JsonObject | undefined =>
  format?.type === 'json_schema' ? (format.json_schema.schema ?? undefined) : undefined

/** For models and formats that have no field for it. */
function formatInstruction(body: ChatBody): string | undefined {
  const schema = schemaOf(body)
  if (schema)
    return `Answer with one JSON document that fits this JSON Schema, and nothing else:\n${JSON.stringify(schema)}`
  return body.response_format?.type === 'json_object'
    ? 'Answer with one JSON object and nothing else.'
    : undefined
}
