import type { ChatBody, ChatMessage } from '../contract/chat.ts'

const NO_RESULT = 'The call was stopped before it had a result.'

/** The ids of calls that the client stopped before they had a result. */
export function callsWithoutResult({ messages }: ChatBody): ReadonlySet<string> {
  // What ends with calls waits for their results.
  const before = messages.slice(0, -1)
  const open = new Set(before.flatMap(({ tool_calls }) => tool_calls?.map(call => call.id) ?? []))
  for (const { tool_call_id: id } of messages) if (id) open.delete(id)
  return open
}

/** With a result for each call of the history, without which providers reject it. It follows those of its turn. */
export function withAllResults(body: ChatBody): ChatBody {
  const missing = callsWithoutResult(body)
  if (missing.size === 0) return body
  const messages: ChatMessage[] = []
  let due: ChatMessage[] = []
  for (const message of body.messages) {
    if (message.role !== 'tool') messages.push(...due.splice(0))
    messages.push(message)
    const ids = (message.tool_calls ?? []).map(call => call.id).filter(id => missing.has(id))
    due = [...due, ...ids.map(id => ({ role: 'tool', tool_call_id: id, content: NO_RESULT }) as const)]
  }
  return { ...body, messages }
}
