import type { ChatBody, ChatMessage, JsonObject } from '../../provider-kit/chat.ts'
import { isSystem, partsOf, plainTextOf } from '../../provider-kit/chat-request.ts'
import { refuse } from '../../provider-kit/refuse.ts'

const CANDIDATES_MAX = 8
const AUTHOR_USER = '0'
const AUTHOR_MODEL = '1'

/** What PaLM has no field for stays behind: tools, stop texts, an output limit. */
export function toPalmBody(body: ChatBody): JsonObject {
  const system = body.messages.filter(isSystem).map(({ content }) => plainTextOf(content))
  return {
    prompt: {
      context: system.length > 0 ? system.join('\n') : undefined,
      messages: body.messages.filter(message => !isSystem(message)).map(toMessage),
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
  if (partsOf(content).some(({ type }) => type !== 'text'))
    refuse('messages', 'a part that is no text', 'text for this vendor')
  return { author: role === 'assistant' ? AUTHOR_MODEL : AUTHOR_USER, content: plainTextOf(content) }
}
