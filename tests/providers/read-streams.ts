import { asArray, asObject, asString, type JsonObject, parseJson } from '#server/provider-kit/json.ts'

const listOf = (value: unknown): readonly JsonObject[] => asArray(value).map(asObject)
const joined = (one: unknown, other: unknown): string | undefined =>
  asString(other) === undefined ? asString(one) : (asString(one) ?? '') + asString(other)

/** The JSON events of a stream, as clients read them. */
const eventsOf = (stream: string): readonly JsonObject[] =>
  stream
    .split(/\r?\n/)
    .filter(line => line.startsWith('data: {'))
    .map(line => asObject(parseJson(line.slice('data: '.length))))

/** The complete response that clients of chat completions put together. */
export function readChatStream(stream: string): JsonObject {
  let message: JsonObject = { role: 'assistant', content: null }
  const calls: JsonObject[] = []
  for (const event of eventsOf(stream)) {
    const { tool_calls, ...delta } = asObject(listOf(event.choices)[0]?.delta)
    for (const [field, value] of Object.entries(delta))
      message = { ...message, [field]: field === 'role' ? value : joined(message[field], value) }
    for (const { index, function: called, ...fields } of listOf(tool_calls)) {
      const before = calls[Number(index)] ?? {}
      const { name, arguments: text } = asObject(called)
      const { name: knownName, arguments: knownText } = asObject(before.function)
      const inner = { name: joined(knownName, name), arguments: joined(knownText, text) }
      calls[Number(index)] = { ...before, ...fields, function: inner }
    }
  }
  return { choices: [{ message: { ...message, ...(calls.length > 0 && { tool_calls: calls }) } }] }
}

const DELTA_FIELDS = ['text', 'thinking', 'signature', 'partial_json']

/** The complete response that clients of Claude put together. */
export function readMessagesStream(stream: string): JsonObject {
  const content: JsonObject[] = []
  for (const { type, index, content_block, delta } of eventsOf(stream)) {
    const at = Number(index)
    if (type === 'content_block_start') content[at] = asObject(content_block)
    if (type !== 'content_block_delta') continue
    for (const field of DELTA_FIELDS) {
      const text = joined(content[at]?.[field], asObject(delta)[field])
      if (text !== undefined) content[at] = { ...content[at], [field]: text }
    }
  }
  return {
    content: content.map(({ partial_json: text, ...block }) =>
      text === undefined ? block : { ...block, input: parseJson(String(text)) },
    ),
  }
}

export const readResponsesStream = (stream: string): JsonObject => asObject(eventsOf(stream).at(-1)?.response)

/** Clients of Gemini keep the parts of all chunks. */
export function readGenerateStream(stream: string): JsonObject {
  const parts = eventsOf(stream)
    .flatMap(({ candidates }) => listOf(candidates))
    .flatMap(({ content }) => listOf(asObject(content).parts))
  return { candidates: [{ content: { role: 'model', parts } }] }
}
