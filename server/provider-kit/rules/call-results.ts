import type { ChatBody, ChatMessage, ToolCall } from '../contract/chat.ts'

const NO_RESULT = 'The call was stopped before it had a result.'

/**
 * With ids for calls that have none, each its own and the same in every turn. Results without an id belong to them in their
 * order. Returns the same body where no id is missing.
 */
export function withAllIds(body: ChatBody): ChatBody {
  if (!body.messages.some(({ tool_calls }) => tool_calls?.some(({ id }) => !id))) return body
  const open: string[] = []
  let made = 0
  const withId = (call: ToolCall): ToolCall => {
    if (call.id) return call
    const id = `call_without_id_${made++}`
    open.push(id)
    return { ...call, id }
  }
  const messages = body.messages.map(message => {
    const { role, tool_calls, tool_call_id } = message
    if (role === 'tool' && !tool_call_id) return { ...message, tool_call_id: open.shift() ?? null }
    return tool_calls ? { ...message, tool_calls: tool_calls.map(withId) } : message
  })
  return { ...body, messages }
}

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
