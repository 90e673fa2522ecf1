import { defineProvider } from '../../provider-kit/contract/provider.ts'
import { asArray, asObject, isObject, type JsonObject } from '../../provider-kit/json.ts'
import { openaiCompatibleChat } from '../../provider-kit/openai-compatible/chat.ts'
import { openaiCompatibleTranscription } from '../../provider-kit/openai-compatible/media.ts'
import {
  openaiCompatibleEmbeddings,
  openaiCompatibleFim,
  openaiCompatibleModelList,
  openaiCompatibleModeration,
} from '../../provider-kit/openai-compatible/operations.ts'
import type { ChatRules } from '../../provider-kit/rules/chat-rules.ts'
import fields from './fields.json'
import models from './models.json'

const MESSAGE_FIELDS: ReadonlySet<string> = new Set([
  ...['role', 'content', 'tool_calls', 'tool_call_id', 'prefix'],
])

/** Adjusts messages and tools after the fields have been selected. Source: docs.mistral.ai/api */
export function toMistralBody(body: JsonObject): JsonObject {
  const { tool_choice } = body
  return {
    ...body,
    messages: asArray(body.messages).map(asObject).filter(hasContent).map(toMistralMessage),
    ...(tool_choice === 'required' && { tool_choice: 'any' }),
  }
}

/** An assistant turn without text and calls is rejected. */
const hasContent = ({ role, content, tool_calls }: JsonObject): boolean =>
  role !== 'assistant' ||
  asArray(tool_calls).length > 0 ||
  (Array.isArray(content) ? content.length > 0 : !!content)

function toMistralMessage(message: JsonObject): JsonObject {
  const known = Object.entries(message).filter(([field]) => MESSAGE_FIELDS.has(field))
  const { tool_calls, name, role } = message
  return {
    ...Object.fromEntries(known),
    ...(role === 'tool' && name ? { name } : {}),
    ...(Array.isArray(tool_calls) && { tool_calls: tool_calls.map(toMistralCall) }),
  }
}

const toMistralCall = (call: unknown): unknown =>
  isObject(call) ? { type: call.type, function: call.function, id: call.id } : call

/** Ids of calls have nine letters and digits. Source: docs.mistral.ai, error code 3280 */
const MISTRAL_RULES: ChatRules = {
  rejectsDeveloperRole: true,
  callIds: { illegal: /[^a-z0-9]/gi, lengthMin: 9, lengthMax: 9 },
}

/** Text completions, of code models only; the response is that of chat. Source: docs.mistral.ai/api/endpoint/fim */
const completions = openaiCompatibleFim({
  only: fields.completions,
  rename: { seed: 'random_seed' },
  serves: model => /^(?:codestral|devstral)/.test(model) && !model.includes('embed'),
})

/** Rejects unknown fields. Source: docs.mistral.ai/api */
export const provider = defineProvider({
  type: 42,
  name: 'Mistral',
  genAiName: 'mistral_ai',
  baseUrl: 'https://api.mistral.ai',
  models,
  ownedBy: 'mistral',
  chat: openaiCompatibleChat({
    only: fields.chat,
    rename: { seed: 'random_seed', max_completion_tokens: 'max_tokens' },
    clamp: { temperature: [0, 1.5] },
    rejectsStreamOptions: true,
    rules: MISTRAL_RULES,
    adjust: toMistralBody,
    isRewritten: true,
  }),
  completions,
  embeddings: openaiCompatibleEmbeddings({
    only: ['model', 'input', 'dimensions', 'output_dimension', 'output_dtype'],
    rename: { dimensions: 'output_dimension' },
  }),
  transcription: openaiCompatibleTranscription({
    only: ['model', 'file', 'language', 'temperature', 'timestamp_granularities', 'stream'],
    isJsonOnly: true,
  }),
  moderation: openaiCompatibleModeration(),
  listModels: openaiCompatibleModelList(),
})
