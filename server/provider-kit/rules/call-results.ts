import type { ChatBody, ChatMessage, ToolCall } from '../contract/chat.ts'

const NO_RESULT = 'The call was stopped before it had a result.'

/**
 * With ids for calls that have none, each its own and the same in every turn. Results without an id belong to the calls that
 * have none yet, in their order. Returns the same body where no id is missing.
 */
export function withAllIds(body: ChatBody): ChatBody {
  if (!body.messages.some(lacksId)) return body
  const open = new Set<string>()
  let made = 0
  const withId = (call: ToolCall): ToolCall => {
    const id = call.id || `call_without_id_${made++}`
    open.add(id)
    return call.id ? call : { ...call, id }
  }
  const messages = body.messages.map(message => {
    const { role, tool_calls } = message
    if (tool_calls) return { ...message, tool_calls: tool_calls.map(withId) }
    if (role !== 'tool') return message
    const [first = null] = open
    const tool_call_id = message.tool_call_id || first
    open.delete(tool_call_id ?? '')
    return { ...message, tool_call_id }
  })
  return { ...body, messages }
}

const lacksId = ({ role, tool_calls, tool_call_id }: ChatMessage): boolean =>
  (role === 'tool' && !tool_call_id) || tool_calls?.some(({ id }) => !id) === true

/** The ids of calls that the client stopped before they had a result. */
export function callsWithoutResult({ messages }: ChatBody): ReadonlySet<string> {
  // What ends with calls waits for their results.
  const before = messages.slice(0, -1)
  const open = new Set(before.flatMap(({ tool_calls }) => tool_calls?.map(call => call.id) ?? []))
  for (const { tool_call_id: id } of messages) if (id) open.delete(id)
  return open
}

/**
 * With a result for each call of the history, without which providers reject it, and all of them right after their calls, where
 * Responses may have a message between. Returns the same body where that is so.
 */
export function withAllResults(body: ChatBody): ChatBody {
  const { messages } = body
  const results = findResults(messages)
  const placed = new Set<ChatMessage>()
  const open = new Map<string, ChatMessage | undefined>()
  const complete: ChatMessage[] = []
  const close = (): void => {
    for (const [id, result] of open) {
      complete.push(result ?? { role: 'tool', tool_call_id: id, content: NO_RESULT })
      if (result) placed.add(result)
    }
    open.clear()
  }
  for (const [index, message] of messages.entries()) {
    if (placed.has(message)) continue
    if (message.role !== 'tool') close()
    complete.push(message)
    open.delete(message.tool_call_id ?? '')
    // What ends with calls waits for their results.
    const calls = index < messages.length - 1 ? message.tool_calls : undefined
    for (const { id } of calls ?? []) open.set(id, results.get(placeOf(index, id)))
  }
  close()
  return isSameList(complete, messages) ? body : { ...body, messages: complete }
}

const isSameList = (some: readonly unknown[], others: readonly unknown[]): boolean =>
  some.length === others.length && some.every((one, at) => one === others[at])

/** An id may come again in a later turn. */
const placeOf = (index: number, id: string): string => `${index} ${id}`

/** The first result of each call, by the place of its message. */
function findResults(messages: readonly ChatMessage[]): ReadonlyMap<string, ChatMessage> {
  const callers = new Map<string, number>()
  const results = new Map<string, ChatMessage>()
  for (const [index, message] of messages.entries()) {
    for (const { id } of message.tool_calls ?? []) callers.set(id, index)
    const id = message.tool_call_id ?? ''
    const caller = callers.get(id)
    if (caller === undefined) continue
    const place = placeOf(caller, id)
    if (!results.has(place)) results.set(place, message)
  }
  return results
}
