import { isSystemMessage, toContentParts, toPlainText } from '../../provider-kit/chat-request.ts'
import type { ChatBody, ChatMessage, JsonObject } from '../../provider-kit/contract/chat.ts'
import { invalidRequest } from '../../provider-kit/validation.ts'

const CANDIDATES_MAX = 8
const AUTHOR_USER = '0'
const AUTHOR_MODEL = '1'

/** What PaLM has no field for stays behind: tools, stop texts, an output limit. */
export function toPalmBody(body: ChatBody): JsonObject {
  const system = body.messages.filter(isSystemMessage).map(({ content }) => toPlainText(content))
  return {
    prompt: {
      context: system.length > 0 ? system.join('\n') : undefined,
      messages: body.messages.filter(message => !isSystemMessage(message)).map(toMessage),
    },
    temperature: fraction(body.temperature),
    candidateCount: body.n ? Math.min(body.n, CANDIDATES_MAX) : undefined,
    topP: fraction(body.top_p),
    topK: body.top_k ?? undefined,
  }
}

const fraction = (value: unknown): number | undefined =>
  typeof value === 'number' ? Math.min(Math.max(value, 0), 1) : undefined

function toMessage({ role, content }: ChatMessage): JsonObject {
  if (toContentParts(content).some(({ type }) => type !== 'text'))
    invalidRequest('messages', 'a part that is no text', 'text for this vendor')
  return { author: role === 'assistant' ? AUTHOR_MODEL : AUTHOR_USER, content: toPlainText(content) }
}
