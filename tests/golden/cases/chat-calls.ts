import type { DialectName } from '../golden-site.ts'
import type { Json } from '../normalise.ts'
import type { GoldenCall } from '../recorder.ts'

/** A chat request in no format. */
export interface ChatQuery {
  readonly model: string
  readonly text?: string
  readonly isStream?: boolean
  readonly hasTools?: boolean
  /** Further fields of the body. */
  readonly fields?: Readonly<Record<string, Json>>
}

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city', 'days'],
} as const
const TOOL = { name: 'get_weather', description: 'The weather of a city', parameters: SCHEMA } as const
const OUTPUT_LIMIT = 50

/** The call of a client in its own format. */
export function chatCall(dialect: DialectName, query: ChatQuery): GoldenCall {
  const { isStream = false, fields } = query
  const { path, keyHeader, headers, body } = CALLS[dialect](query)
  return {
    path,
    ...(keyHeader && { keyHeader }),
    ...(headers && { headers }),
    body: { ...body, ...(dialect !== 'gemini' && isStream && { stream: true }), ...fields },
  }
}

interface Call extends GoldenCall {
  readonly body: Readonly<Record<string, Json>>
}

const textOf = ({ text = 'hello, hello [lab: tokens-3]', hasTools }: ChatQuery): string =>
  hasTools ? 'the weather, please [lab: tools-2]' : text

const CALLS: Readonly<Record<DialectName, (query: ChatQuery) => Call>> = {
  openai: query => ({
    path: '/v1/chat/completions',
    body: {
      model: query.model,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: textOf(query) },
      ],
      ...(query.isStream && { stream_options: { include_usage: true } }),
      ...(query.hasTools && { tools: [{ type: 'function', function: TOOL }] }),
    },
  }),
  responses: query => ({
    path: '/v1/responses',
    body: {
      model: query.model,
      instructions: 'Be brief.',
      input: textOf(query),
      store: false,
      ...(query.hasTools && { tools: [{ type: 'function', strict: false, ...TOOL }] }),
    },
  }),
  anthropic: query => ({
    path: '/v1/messages',
    keyHeader: 'x-api-key',
    headers: { 'anthropic-version': '2023-06-01' },
    body: {
      model: query.model,
      max_tokens: OUTPUT_LIMIT,
      system: 'Be brief.',
      messages: [{ role: 'user', content: textOf(query) }],
      ...(query.hasTools && {
        tools: [{ name: TOOL.name, description: TOOL.description, input_schema: SCHEMA }],
      }),
    },
  }),
  gemini: query => ({
    path: `/v1beta/models/${query.model}:${query.isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    keyHeader: 'x-goog-api-key',
    body: {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [{ role: 'user', parts: [{ text: textOf(query) }] }],
      ...(query.hasTools && { tools: [{ functionDeclarations: [TOOL] }] }),
    },
  }),
  cohere: query => ({
    path: '/v2/chat',
    body: {
      model: query.model,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: textOf(query) },
      ],
      ...(query.hasTools && { tools: [{ type: 'function', function: TOOL }] }),
    },
  }),
}
