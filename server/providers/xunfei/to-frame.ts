import {
  getFunctionCalls,
  getToolFunction,
  isSystemMessage,
  parseDataUrl,
  readMaxOutputTokens,
  toContentParts,
  toImageUrl,
  toPlainText,
} from '../../provider-kit/chat-request.ts'
import type { ChatBody, ChatMessage, ContentPart, JsonObject } from '../../provider-kit/contract/chat.ts'
import { invalidRequest } from '../../provider-kit/validation.ts'
import type { SparkVersion } from './endpoint.ts'

const USER_CHARS_MAX = 32
const TEMPERATURE_LEAST = 0.01
const TOP_K_MAX = 6

/** Builds the request frame. Fields without a counterpart are dropped. Source: xfyun.cn/doc/spark/Web.html */
export function toFrame(body: ChatBody, version: SparkVersion, appId: string): JsonObject {
  const tools = body.tool_choice === 'none' ? [] : (body.tools ?? [])
  return {
    header: {
      app_id: appId,
      uid: typeof body.user === 'string' ? body.user.slice(0, USER_CHARS_MAX) : undefined,
    },
    parameter: {
      chat: {
        domain: version.domain,
        temperature: between(body.temperature, TEMPERATURE_LEAST, 1),
        top_k: between(body.top_k, 1, TOP_K_MAX),
        max_tokens: between(readMaxOutputTokens(body), 1, version.outputTokensMax),
      },
    },
    payload: {
      message: { text: body.messages.flatMap(message => toTurns(message, version)) },
      functions: tools.length > 0 ? { text: tools.map(getToolFunction) } : undefined,
    },
  }
}

const between = (value: unknown, least: number, most: number): number | undefined =>
  typeof value === 'number' ? Math.min(Math.max(value, least), most) : undefined

const ACKNOWLEDGED: JsonObject = { role: 'assistant', content: 'Okay' }

function toTurns(message: ChatMessage, version: SparkVersion): readonly JsonObject[] {
  if (isSystemMessage(message)) {
    const content = toPlainText(message.content)
    return version.knowsSystem ? [{ role: 'system', content }] : [{ role: 'user', content }, ACKNOWLEDGED]
  }
  const images = toContentParts(message.content).filter(({ type }) => type !== 'text')
  const text = { role: message.role === 'assistant' ? 'assistant' : 'user', content: toText(message) }
  return [...images.map(image => toImage(image, version)), text]
}

/** The API has no turns for calls and results, so they are written as text. */
function toText(message: ChatMessage): string {
  const calls = getFunctionCalls(message).map(call => `${call.function.name}(${call.function.arguments})`)
  return [toPlainText(message.content), ...calls].filter(text => text !== '').join('\n')
}

function toImage(part: ContentPart, { acceptsImages }: SparkVersion): JsonObject {
  if (part.type !== 'image_url' || !acceptsImages)
    return invalidRequest('messages', `a part of type ${part.type}`, 'text for this model')
  const media = parseDataUrl(toImageUrl(part.image_url))
  return media
    ? { role: 'user', content: media.data, content_type: 'image' }
    : invalidRequest('image_url', 'a URL', 'a base64 data URL for this vendor')
}
