import type { DialectName } from '#server/provider-kit/contract/operation-adapter.ts'
import { asArray, asObject, asString, parseJson } from '#server/provider-kit/json.ts'

interface ClientCall {
  readonly model: string
  readonly isStream: boolean
}

/** How clients of one dialect send a chat request and read the text of the response. */
export interface Client {
  readonly name: string
  readonly dialect: DialectName
  path(call: ClientCall): string
  body(call: ClientCall): object
  /** Reads a complete response. */
  textOf(json: unknown): string
  /** Reads one event of a stream. */
  deltaOf(json: unknown): string
}

const QUESTION = 'Weather in Lisbon?'
const joined = (parts: readonly unknown[], textIn: (part: unknown) => unknown): string =>
  parts.map(part => asString(textIn(part)) ?? '').join('')
const member = (json: unknown, name: string): unknown => asObject(json)[name]
const first = (json: unknown, name: string): unknown => asArray(member(json, name))[0]

/** The text of Gemini's parts without thoughts. */
const joinTextParts = (json: unknown): string =>
  joined(asArray(member(member(first(json, 'candidates'), 'content'), 'parts')), part =>
    member(part, 'thought') === true ? '' : member(part, 'text'),
  )

export const clients: readonly Client[] = [
  {
    name: 'chat completions',
    dialect: 'openai',
    path: () => '/v1/chat/completions',
    body: ({ model, isStream }) => ({
      model,
      stream: isStream,
      messages: [{ role: 'user', content: QUESTION }],
    }),
    textOf: json => asString(member(member(first(json, 'choices'), 'message'), 'content')) ?? '',
    deltaOf: json => asString(member(member(first(json, 'choices'), 'delta'), 'content')) ?? '',
  },
  {
    name: 'responses',
    dialect: 'responses',
    path: () => '/v1/responses',
    body: ({ model, isStream }) => ({ model, stream: isStream, input: QUESTION }),
    textOf: json =>
      asArray(member(json, 'output'))
        .filter(item => member(item, 'type') === 'message')
        .map(item => joined(asArray(member(item, 'content')), part => member(part, 'text')))
        .join(''),
    deltaOf: json =>
      member(json, 'type') === 'response.output_text.delta' ? (asString(member(json, 'delta')) ?? '') : '',
  },
  {
    name: 'messages',
    dialect: 'anthropic',
    path: () => '/v1/messages',
    body: ({ model, isStream }) => ({
      model,
      stream: isStream,
      max_tokens: 500,
      messages: [{ role: 'user', content: QUESTION }],
    }),
    textOf: json => joined(asArray(member(json, 'content')), block => member(block, 'text')),
    deltaOf: json => asString(member(member(json, 'delta'), 'text')) ?? '',
  },
  {
    name: 'Cohere chat',
    dialect: 'cohere',
    path: () => '/v2/chat',
    body: ({ model, isStream }) => ({
      model,
      stream: isStream,
      messages: [{ role: 'user', content: QUESTION }],
    }),
    textOf: json => joined(asArray(member(member(json, 'message'), 'content')), part => member(part, 'text')),
    deltaOf: json =>
      asString(member(member(member(member(json, 'delta'), 'message'), 'content'), 'text')) ?? '',
  },
  {
    name: 'generateContent',
    dialect: 'gemini',
    path: ({ model, isStream }) =>
      `/v1beta/models/${model}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: () => ({ contents: [{ role: 'user', parts: [{ text: QUESTION }] }] }),
    textOf: joinTextParts,
    deltaOf: joinTextParts,
  },
  {
    name: 'interactions',
    dialect: 'interactions',
    path: () => '/v1beta/interactions',
    body: ({ model, isStream }) => ({ model, stream: isStream, input: QUESTION }),
    textOf: json =>
      asArray(member(json, 'steps'))
        .filter(step => member(step, 'type') === 'model_output')
        .map(step => joined(asArray(member(step, 'content')), part => member(part, 'text')))
        .join(''),
    deltaOf: json =>
      member(member(json, 'delta'), 'type') === 'text'
        ? (asString(member(member(json, 'delta'), 'text')) ?? '')
        : '',
  },
]

/** The response text as a client of this dialect assembles it. */
export function readText(client: Client, response: string, isStream: boolean): string {
  if (!isStream) return client.textOf(parseJson(response))
  const lines = response.split('\n').filter(line => line.startsWith('data:'))
  return lines.map(line => client.deltaOf(parseJson(line.slice('data:'.length)))).join('')
}
