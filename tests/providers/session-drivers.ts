import { asArray, asObject, asString, type JsonObject } from '#server/provider-kit/json.ts'
import {
  readChatStream,
  readGenerateStream,
  readMessagesStream,
  readResponsesStream,
} from './read-streams.ts'

/** A conversation of a client as it sends it: what the model returned goes back as it came. */
export interface SessionDriver {
  path(model: string, isStream: boolean): string
  body(model: string, isStream: boolean): JsonObject
  /** The complete response within a stream. */
  readStream(stream: string): JsonObject
  addUser(text: string, image?: string): void
  /** Keeps a response. Returns the calls in it. */
  addReply(reply: JsonObject): readonly SessionCall[]
  addResults(calls: readonly SessionCall[]): void
}

interface SessionCall {
  readonly id: string
  readonly name: string
  /** The type of its item, where the dialect has several. */
  readonly type?: string | undefined
}

const SCHEMA = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const RESULT = 'It is there.'
export const CALLED_TOOLS: readonly string[] = ['look', 'read']
const listOf = (value: unknown): readonly JsonObject[] => asArray(value).map(asObject)
const textOf = (value: unknown): string => asString(value) ?? ''

export function chatDriver(): SessionDriver {
  const messages: JsonObject[] = []
  return {
    path: () => '/v1/chat/completions',
    readStream: readChatStream,
    body: (model, stream) => ({
      model,
      stream,
      messages,
      reasoning_effort: 'low',
      max_completion_tokens: 4_000,
      tools: CALLED_TOOLS.map(name => ({ type: 'function', function: { name, parameters: SCHEMA } })),
    }),
    addUser: (text, url) =>
      messages.push({
        role: 'user',
        content: url
          ? [
              { type: 'text', text },
              { type: 'image_url', image_url: { url } },
            ]
          : text,
      }),
    addReply(reply) {
      const message = asObject(listOf(reply.choices)[0]?.message)
      messages.push(message)
      return listOf(message.tool_calls).map(({ id, function: called }) => ({
        id: textOf(id),
        name: textOf(asObject(called).name),
      }))
    },
    addResults(calls) {
      for (const { id } of calls) messages.push({ role: 'tool', tool_call_id: id, content: RESULT })
    },
  }
}

export function messagesDriver(): SessionDriver {
  const messages: JsonObject[] = []
  return {
    path: () => '/v1/messages',
    readStream: readMessagesStream,
    body: (model, stream) => ({
      model,
      stream,
      messages,
      max_tokens: 4_000,
      thinking: { type: 'enabled', budget_tokens: 1_024 },
      tools: CALLED_TOOLS.map(name => ({ name, input_schema: SCHEMA })),
    }),
    addUser(text, url) {
      const data = url?.split(',')[1]
      const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }
      messages.push({ role: 'user', content: [...(url ? [image] : []), { type: 'text', text }] })
    },
    addReply({ content }) {
      messages.push({ role: 'assistant', content })
      return listOf(content)
        .filter(({ type }) => type === 'tool_use')
        .map(({ id, name }) => ({ id: textOf(id), name: textOf(name) }))
    },
    addResults: calls =>
      messages.push({
        role: 'user',
        content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: RESULT })),
      }),
  }
}

export function responsesDriver(): SessionDriver {
  const input: JsonObject[] = []
  return {
    path: () => '/v1/responses',
    readStream: readResponsesStream,
    body: (model, stream) => ({
      model,
      stream,
      input,
      store: false,
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'low' },
      max_output_tokens: 4_000,
      tools: [
        { type: 'function', name: 'look', parameters: SCHEMA, strict: false },
        { type: 'custom', name: 'read' },
      ],
    }),
    addUser: (text, image_url) =>
      input.push({
        role: 'user',
        content: [
          { type: 'input_text', text },
          ...(image_url ? [{ type: 'input_image', image_url, detail: 'auto' }] : []),
        ],
      }),
    addReply({ output }) {
      const items = listOf(output)
      input.push(...items)
      return items
        .filter(({ type }) => textOf(type).endsWith('_call'))
        .map(({ call_id, name, type }) => ({ id: textOf(call_id), name: textOf(name), type: textOf(type) }))
    },
    addResults(calls) {
      for (const { id, type } of calls) input.push({ type: `${type}_output`, call_id: id, output: RESULT })
    },
  }
}

export function generateDriver(): SessionDriver {
  const contents: JsonObject[] = []
  return {
    path: (model, isStream) =>
      `/v1beta/models/${model}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    readStream: readGenerateStream,
    body: () => ({
      contents,
      generationConfig: {
        maxOutputTokens: 4_000,
        thinkingConfig: { includeThoughts: true, thinkingLevel: 'LOW' },
      },
      tools: [{ functionDeclarations: CALLED_TOOLS.map(name => ({ name, parametersJsonSchema: SCHEMA })) }],
    }),
    addUser(text, url) {
      const image = { inlineData: { mimeType: 'image/png', data: url?.split(',')[1] } }
      contents.push({ role: 'user', parts: [{ text }, ...(url ? [image] : [])] })
    },
    addReply({ candidates }) {
      const { content } = asObject(listOf(candidates)[0])
      contents.push(asObject(content))
      return listOf(asObject(content).parts).flatMap(({ functionCall }) => {
        const { id, name } = asObject(functionCall)
        return functionCall ? [{ id: textOf(id), name: textOf(name) }] : []
      })
    },
    addResults: calls =>
      contents.push({
        role: 'user',
        parts: calls.map(({ id, name }) => ({
          functionResponse: { ...(id && { id }), name, response: { result: RESULT } },
        })),
      }),
  }
}
