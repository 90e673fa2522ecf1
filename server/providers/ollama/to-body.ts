import type { ChatBody, ChatMessage, JsonObject } from '../../provider-kit/chat.ts'
import {
  argumentsOf,
  callNamesOf,
  functionCallsOf,
  functionOf,
  outputLimitOf,
  partsOf,
  plainTextOf,
  refuseLegacyFunctions,
  stopsOf,
} from '../../provider-kit/chat-request.ts'
import type { Call } from '../../provider-kit/exchange.ts'
import { isObject } from '../../provider-kit/json.ts'
import { addressOf, parseDataUrl } from '../../provider-kit/media.ts'
import { refuseRemoteImages } from '../../provider-kit/refuse-remote-images.ts'

/** Fields of Ollama's own that clients may send at the top of the body. Source: github.com/ollama/ollama/blob/main/docs/modelfile.md */
const OWN_OPTIONS = ['top_k', 'min_p', 'num_ctx', 'repeat_penalty', 'frequency_penalty', 'presence_penalty']

/** Source: github.com/ollama/ollama/blob/main/docs/api.md#generate-a-chat-completion */
export function toOllamaBody({ body, model, isStream }: Call<ChatBody>): JsonObject {
  refuseLegacyFunctions(body)
  refuseRemoteImages(body)
  const names = callNamesOf(body.messages)
  const tools = body.tool_choice === 'none' ? [] : (body.tools ?? [])
  return {
    model,
    stream: isStream,
    messages: body.messages.map(message => toMessage(message, names)),
    tools:
      tools.length > 0 ? tools.map(tool => ({ type: 'function', function: functionOf(tool) })) : undefined,
    format: toFormat(body),
    think: toThink(body, model),
    keep_alive: body.keep_alive ?? undefined,
    options: toOptions(body),
  }
}

function toMessage(message: ChatMessage, names: ReadonlyMap<string, string>): JsonObject {
  const { role, tool_call_id: id } = message
  const content = plainTextOf(message.content)
  if (role === 'tool') return { role, tool_name: names.get(id ?? '') ?? message.name ?? undefined, content }
  const images = imagesOf(message)
  const calls = functionCallsOf(message).map(({ function: called }) => ({
    function: { name: called.name, arguments: argumentsOf(called.arguments) },
  }))
  return {
    role: role === 'developer' ? 'system' : role,
    content,
    images: images.length > 0 ? images : undefined,
    tool_calls: calls.length > 0 ? calls : undefined,
    thinking: message.reasoning_content ?? undefined,
  }
}

/** Bare base64. */
const imagesOf = ({ content }: ChatMessage): readonly string[] =>
  partsOf(content).flatMap(part =>
    part.type === 'image_url' ? (parseDataUrl(addressOf(part.image_url))?.data ?? []) : [],
  )

function toFormat({ response_format: format }: ChatBody): unknown {
  if (format?.type === 'json_schema') return format.json_schema.schema ?? 'json'
  return format?.type === 'json_object' ? 'json' : undefined
}

/** Only gpt-oss is told how hard to think. */
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
    num_predict: outputLimitOf(body),
    stop: stopsOf(body),
    ...(isObject(body.options) && body.options),
  }
}
