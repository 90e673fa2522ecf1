import { isSystemMessage, toContentParts, toPlainText } from '../../provider-kit/chat-request.ts'
import type { ChatBody, ChatMessage, JsonObject } from '../../provider-kit/contract/chat.ts'
import type { AdapterCall } from '../../provider-kit/contract/operation-adapter.ts'
import { invalidRequest } from '../../provider-kit/validation.ts'

const LEAST = 0.01
const MOST = 0.99
/** A system text is followed by a turn of the user, which the models were trained to see. */
const ACKNOWLEDGED: JsonObject = { role: 'user', content: 'Okay' }

/** What version 3 has no field for stays behind: tools, stop texts, an output limit. */
export function toZhipuBody({ body, requestId }: AdapterCall<ChatBody>): JsonObject {
  return {
    prompt: body.messages.flatMap(toTurns),
    temperature: within(body.temperature),
    top_p: within(body.top_p),
    request_id: requestId,
    incremental: true,
  }
}

const within = (value: unknown): number | undefined =>
  typeof value === 'number' ? Math.min(Math.max(value, LEAST), MOST) : undefined

function toTurns(message: ChatMessage): readonly JsonObject[] {
  const { role, content } = message
  if (toContentParts(content).some(({ type }) => type !== 'text'))
    invalidRequest('messages', 'a part that is no text', 'text for this vendor')
  const text = toPlainText(content)
  if (isSystemMessage(message)) return [{ role: 'system', content: text }, ACKNOWLEDGED]
  return [{ role: role === 'assistant' ? 'assistant' : 'user', content: text }]
}
