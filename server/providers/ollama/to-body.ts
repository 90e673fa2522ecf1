import {
  functionNamesByCallId,
  getFunctionCalls,
  getToolFunction,
  parseDataUrl,
  parseToolArguments,
  readMaxOutputTokens,
  readStopSequences,
  rejectLegacyFunctions,
  rejectRemoteImages,
  toContentParts,
  toImageUrl,
  toPlainText,
} from '../../provider-kit/chat-request.ts'
import type { ChatBody, ChatMessage, JsonObject } from '../../provider-kit/contract/chat.ts'
import type { AdapterCall } from '../../provider-kit/contract/operation-adapter.ts'
import { isObject } from '../../provider-kit/json.ts'

/**
 * Ollama's own fields, which clients may send at the top level of the body. Source:
 * github.com/ollama/ollama/blob/main/docs/modelfile.md
 */
const OWN_OPTIONS = ['top_k', 'min_p', 'num_ctx', 'repeat_penalty', 'frequency_penalty', 'presence_penalty']

/** Builds a chat body. Source: github.com/ollama/ollama/blob/main/docs/api.md#generate-a-chat-completion */
export function toOllamaBody({ body, model, isStream }: AdapterCall<ChatBody>): JsonObject {
  rejectLegacyFunctions(body)
  rejectRemoteImages(body)
  const names = functionNamesByCallId(body.messages)
  const tools = body.tool_choice === 'none' ? [] : (body.tools ?? [])
  return {
    model,
    stream: isStream,
    messages: body.messages.map(message => toMessage(message, names)),
    tools:
      tools.length > 0
        ? tools.map(tool => ({ type: 'function', function: getToolFunction(tool) }))
        : undefined,
    format: toFormat(body),
    think: toThink(body, model),
    keep_alive: body.keep_alive ?? undefined,
    options: toOptions(body),
  }
}

function toMessage(message: ChatMessage, names: ReadonlyMap<string, string>): JsonObject {
  const { role, tool_call_id: id } = message
  const content = toPlainText(message.content)
  if (role === 'tool') return { role, tool_name: names.get(id ?? '') ?? message.name ?? undefined, content }
  const images = inlineImages(message)
  const calls = getFunctionCalls(message).map(({ function: called }) => ({
    function: { name: called.name, arguments: parseToolArguments(called.arguments) },
  }))
  return {
    role: role === 'developer' ? 'system' : role,
    content,
    images: images.length > 0 ? images : undefined,
    tool_calls: calls.length > 0 ? calls : undefined,
    thinking: message.reasoning_content ?? undefined,
  }
}

/** Base64 without a data URL prefix. */
const inlineImages = ({ content }: ChatMessage): readonly string[] =>
  toContentParts(content).flatMap(part =>
    part.type === 'image_url' ? (parseDataUrl(toImageUrl(part.image_url))?.data ?? []) : [],
  )

function toFormat({ response_format: format }: ChatBody): unknown {
  if (format?.type === 'json_schema') return format.json_schema.schema ?? 'json'
  return format?.type === 'json_object' ? 'json' : undefined
}

/** Only gpt-oss takes an effort; other models take a boolean. */
function toThink({ reasoning_effort: effort }: ChatBody, model: string): unknown {
  if (!effort) return undefined
  if (effort === 'none') return false
  return model.startsWith('gpt-oss') ? effort : true
}

function toOptions(body: ChatBody): JsonObject {
  const own = OWN_OPTIONS.map(name => [name, body[name] ?? undefined])
  return {
    ...Object.fromEntries(own),
    temperature: body.temperature ?? undefined,
    top_p: body.top_p ?? undefined,
    seed: body.seed ?? undefined,
    num_predict: readMaxOutputTokens(body),
    stop: readStopSequences(body),
    ...(isObject(body.options) && body.options),
  }
}
