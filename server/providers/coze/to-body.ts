import { GatewayError } from '../../core/errors.ts'
import {
  isSystemMessage,
  toContentParts,
  toImageUrl,
  toPlainText,
  uploadedFileId,
} from '../../provider-kit/chat-request.ts'
import type { ChatBody, ChatMessage, ContentPart, JsonObject } from '../../provider-kit/contract/chat.ts'
import type { AdapterCall } from '../../provider-kit/contract/operation-adapter.ts'
import { invalidRequest } from '../../provider-kit/validation.ts'

const BOT_IN_NAME = /^bot-(\d+)$/

/**
 * Always streams, since a complete response would have to be polled; the relay collects the chunks instead. A request
 * without a user gets a new user id, so that a bot's memory is never shared between callers.
 */
export function toCozeBody({ channel, model, body, requestId }: AdapterCall<ChatBody>): JsonObject {
  const bot = BOT_IN_NAME.exec(model)?.[1] ?? channel.other
  if (!bot) throw new GatewayError('upstream_failed', 'neither the channel nor the model names a bot')
  return {
    bot_id: bot,
    user_id: typeof body.user === 'string' ? body.user : requestId,
    stream: true,
    auto_save_history: true,
    additional_messages: toMessages(body.messages),
  }
}

/** The API has no role for system texts, so they precede the first user message. */
function toMessages(messages: readonly ChatMessage[]): readonly JsonObject[] {
  const system = messages.filter(isSystemMessage).map(({ content }) => toPlainText(content))
  const turns = messages.filter(message => !isSystemMessage(message))
  const first = turns.findIndex(({ role }) => role === 'user')
  if (system.length === 0) return turns.map(message => toMessage(message))
  if (first === -1)
    return [...turns.map(message => toMessage(message)), toMessage(toUserMessage(system.join('\n')))]
  const opening: ContentPart = { type: 'text', text: `${system.join('\n')}\n` }
  return turns.map((message, index) => toMessage(message, index === first ? [opening] : []))
}

const toUserMessage = (content: string): ChatMessage => ({ role: 'user', content })

function toMessage({ role, content }: ChatMessage, before: readonly ContentPart[] = []): JsonObject {
  const parts = [...before, ...toContentParts(content)]
  const isPlain = parts.every(({ type }) => type === 'text')
  return {
    role: role === 'assistant' ? 'assistant' : 'user',
    type: role === 'assistant' ? 'answer' : 'question',
    content: isPlain ? toPlainText(parts) : JSON.stringify(parts.map(toPart)),
    content_type: isPlain ? 'text' : 'object_string',
  }
}

function toPart(part: ContentPart): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text }
    case 'image_url':
      return { type: 'image', file_url: toImageUrl(part.image_url) }
    case 'file':
      return { type: 'image', file_id: uploadedFileId(part.file) }
    default:
      return invalidRequest('messages', `a part of type ${part.type}`, 'text and images')
  }
}
