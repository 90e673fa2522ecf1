import type { JsonObject } from '#server/provider-kit/json.ts'

/** What a request may have that a provider may not take, in the words of no format. */
export interface OddRequest {
  readonly tool?: { readonly name: string; readonly schema: object }
  /** An earlier call of the tool, whose result is given. */
  readonly callId?: string
  readonly result?: string
  readonly stops?: number
  readonly tokens?: number
  readonly temperature?: number
  readonly topP?: number
  readonly instructions?: string
  /** An earlier answer of the model. */
  readonly earlierText?: string
  readonly outputSchema?: object
}

interface ClientRequest {
  readonly path: string
  readonly body: JsonObject
}

type ToRequest = (model: string, isStream: boolean, odd: OddRequest) => ClientRequest

const QUESTION = 'What is new?'
const stopsOf = ({ stops = 0 }: OddRequest): readonly string[] =>
  Array.from({ length: stops }, (_, index) => `stop ${index}`)
const given = (fields: Readonly<Record<string, unknown>>): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
const when = <Item>(isGiven: unknown, ...items: readonly Item[]): readonly Item[] =>
  isGiven === undefined ? [] : items

/** The question, after an earlier one with its response where there is one. */
const questions = ({ earlierText }: OddRequest) => [
  ...when(earlierText, { role: 'user', content: QUESTION }, { role: 'assistant', content: earlierText }),
  { role: 'user', content: QUESTION },
]

const toChat: ToRequest = (model, stream, odd) => {
  const { tool, callId: id, outputSchema: schema } = odd
  const called = { name: tool?.name, arguments: '{}' }
  return {
    path: '/v1/chat/completions',
    body: given({
      model,
      stream,
      messages: [
        ...when(odd.instructions, { role: 'developer', content: odd.instructions }),
        ...questions(odd),
        ...when(
          id,
          { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: called }] },
          { role: 'tool', tool_call_id: id, content: odd.result ?? 'done' },
        ),
      ],
      tools: tool && [{ type: 'function', function: { name: tool.name, parameters: tool.schema } }],
      stop: odd.stops && stopsOf(odd),
      max_completion_tokens: odd.tokens,
      temperature: odd.temperature,
      top_p: odd.topP,
      response_format: schema && { type: 'json_schema', json_schema: { name: 'f', schema } },
    }),
  }
}

const toMessages: ToRequest = (model, stream, odd) => {
  const { tool, callId: id, outputSchema: schema } = odd
  return {
    path: '/v1/messages',
    body: given({
      model,
      stream,
      system: odd.instructions,
      max_tokens: odd.tokens ?? 500,
      messages: [
        ...questions(odd),
        ...when<object>(
          id,
          { role: 'assistant', content: [{ type: 'tool_use', id, name: tool?.name, input: {} }] },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: id, content: odd.result ?? 'done' }],
          },
        ),
      ],
      tools: tool && [{ name: tool.name, input_schema: tool.schema }],
      stop_sequences: odd.stops && stopsOf(odd),
      temperature: odd.temperature,
      top_p: odd.topP,
      output_config: schema && { format: { type: 'json_schema', schema } },
    }),
  }
}

const toResponses: ToRequest = (model, stream, odd) => {
  const { tool, callId, outputSchema: schema } = odd
  return {
    path: '/v1/responses',
    body: given({
      model,
      stream,
      store: false,
      input: [
        ...when(odd.instructions, { role: 'developer', content: odd.instructions }),
        ...questions(odd),
        ...when<object>(
          callId,
          { type: 'function_call', call_id: callId, name: tool?.name, arguments: '{}' },
          { type: 'function_call_output', call_id: callId, output: odd.result ?? 'done' },
        ),
      ],
      tools: tool && [{ type: 'function', name: tool.name, parameters: tool.schema, strict: false }],
      max_output_tokens: odd.tokens,
      temperature: odd.temperature,
      top_p: odd.topP,
      text: schema && { format: { type: 'json_schema', name: 'f', schema } },
    }),
  }
}

const toGenerate: ToRequest = (model, isStream, odd) => {
  const { tool, callId: id } = odd
  const name = tool?.name
  const thoughtSignature = 'skip_thought_signature_validator'
  return {
    path: `/v1beta/models/${model}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: given({
      systemInstruction: odd.instructions && { parts: [{ text: odd.instructions }] },
      contents: [
        ...when(
          odd.earlierText,
          { role: 'user', parts: [{ text: QUESTION }] },
          { role: 'model', parts: [{ text: odd.earlierText }] },
        ),
        { role: 'user', parts: [{ text: QUESTION }] },
        ...when<object>(
          id,
          { role: 'model', parts: [{ functionCall: { id, name, args: {} }, thoughtSignature }] },
          {
            role: 'user',
            parts: [{ functionResponse: { id, name, response: { result: odd.result ?? 'done' } } }],
          },
        ),
      ],
      tools: tool && [{ functionDeclarations: [{ name, parametersJsonSchema: tool.schema }] }],
      generationConfig: given({
        stopSequences: odd.stops && stopsOf(odd),
        maxOutputTokens: odd.tokens,
        temperature: odd.temperature,
        topP: odd.topP,
        ...(odd.outputSchema && {
          responseMimeType: 'application/json',
          responseJsonSchema: odd.outputSchema,
        }),
      }),
    }),
  }
}

/** The same request as clients of each format send it, by the name of the format that a provider may have itself. */
export const CLIENTS: ReadonlyMap<string, ToRequest> = new Map([
  ['openai', toChat],
  ['anthropic', toMessages],
  ['responses', toResponses],
  ['gemini', toGenerate],
])
