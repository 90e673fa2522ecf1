import { expect, test } from 'bun:test'
import type { ChatBody, ChatMessage } from '../contract/chat.ts'
import type { AvailableHostedTools } from '../contract/hosted-tool.ts'
import type { AdapterCall } from '../contract/operation-adapter.ts'
import { asArray, asObject, type JsonObject } from '../json.ts'
import { toGeminiBody } from './to-body.ts'
import { withSignatures } from './to-contents.ts'

const FLASH = 'gemini-2.5-flash'

function toBody(changes: Partial<ChatBody>, model = FLASH, hostedTools?: AvailableHostedTools): JsonObject {
  const body: ChatBody = { model: 'asked', messages: [{ role: 'user', content: 'hi' }], ...changes }
  const call: AdapterCall<ChatBody> = {
    channel: { id: 1, key: 'k', baseUrl: 'https://v.example', other: '', organization: '', setting: {} },
    model,
    body,
    hostedTools,
    isStream: false,
    requestId: 'r',
    nowSeconds: 0,
  }
  return JSON.parse(JSON.stringify(toGeminiBody(call)))
}
const contentsOf = (model: string, ...messages: ChatMessage[]): unknown =>
  toBody({ messages }, model).contents
const configOf = (changes: Partial<ChatBody>, model = FLASH): JsonObject =>
  asObject(toBody(changes, model).generationConfig)
const toolCall = (id: string, extra_content?: JsonObject) => ({
  id,
  type: 'function' as const,
  function: { name: `name_of_${id}`, arguments: '{"a":1}' },
  ...(extra_content && { extra_content }),
})

test('names the function of each result and returns the results of parallel calls together', () => {
  const contents = contentsOf(
    FLASH,
    { role: 'assistant', tool_calls: [toolCall('a'), toolCall('b')] },
    { role: 'tool', tool_call_id: 'a', content: '{"x":1}' },
    { role: 'tool', tool_call_id: 'b', content: '[1]' },
    { role: 'tool', tool_call_id: 'gone', content: 'plain' },
  )
  expect(contents).toEqual([
    {
      role: 'model',
      parts: [
        { functionCall: { name: 'name_of_a', args: { a: 1 } } },
        { functionCall: { name: 'name_of_b', args: { a: 1 } } },
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { name: 'name_of_a', response: { x: 1 } } },
        { functionResponse: { name: 'name_of_b', response: { content: [1] } } },
        { functionResponse: { name: 'gone', response: { content: 'plain' } } },
      ],
    },
  ])
})

test('returns a thought signature, and a placeholder where a newer model requires one', () => {
  const signed = toolCall('a', { google: { thought_signature: 'sig' } })
  const calls = { role: 'assistant' as const, tool_calls: [signed, toolCall('b')] }
  expect(contentsOf(FLASH, calls)).toMatchObject([{ parts: [{ thoughtSignature: 'sig' }, {}] }])
  const unsigned = { role: 'assistant' as const, tool_calls: [toolCall('a'), toolCall('b')] }
  expect(contentsOf('gemini-3-pro-preview', unsigned)).toEqual([
    {
      role: 'model',
      parts: [
        {
          functionCall: { name: 'name_of_a', args: { a: 1 } },
          thoughtSignature: 'skip_thought_signature_validator',
        },
        { functionCall: { name: 'name_of_b', args: { a: 1 } } },
      ],
    },
  ])
})

test('puts the system instruction into the first turn where the model has no field for it', () => {
  const messages: ChatMessage[] = [
    { role: 'system', content: 'be brief' },
    { role: 'user', content: 'hi' },
  ]
  expect(toBody({ messages }, 'gemma-3-27b-it')).not.toHaveProperty('systemInstruction')
  expect(contentsOf('gemma-3-27b-it', ...messages)).toEqual([
    { role: 'user', parts: [{ text: 'be brief' }, { text: 'hi' }] },
  ])
})

test('never sends empty contents or empty texts', () => {
  expect(contentsOf(FLASH, { role: 'system', content: 'x' })).toEqual([
    { role: 'user', parts: [{ text: '.' }] },
  ])
  expect(contentsOf(FLASH, { role: 'user', content: [{ type: 'text', text: '' }] })).toEqual([
    { role: 'user', parts: [{ text: '.' }] },
  ])
})

test('sends audio, files and image URLs', () => {
  expect(
    contentsOf(FLASH, {
      role: 'user',
      content: [
        { type: 'input_audio', input_audio: { data: 'AA', format: 'mp3' } },
        { type: 'file', file: { file_data: 'data:application/pdf;base64,BB' } },
        { type: 'image_url', image_url: 'https://x.example/a.png' },
      ],
    }),
  ).toEqual([
    {
      role: 'user',
      parts: [
        { inlineData: { mimeType: 'audio/mp3', data: 'AA' } },
        { inlineData: { mimeType: 'application/pdf', data: 'BB' } },
        { fileData: { fileUri: 'https://x.example/a.png' } },
      ],
    },
  ])
})

test('rejects media at a URL that the provider cannot read', () => {
  expect(() =>
    contentsOf(FLASH, { role: 'user', content: [{ type: 'image_url', image_url: 'http://x.example/a' }] }),
  ).toThrow('needed https://')
})

test.each<[string, string | undefined, number | undefined, unknown]>([
  [FLASH, undefined, undefined, undefined],
  [FLASH, 'none', undefined, { thinkingBudget: 0, includeThoughts: false }],
  [FLASH, 'medium', undefined, { thinkingBudget: 8_192, includeThoughts: true }],
  ['gemini-2.5-pro', 'none', undefined, { thinkingBudget: 128, includeThoughts: true }],
  [`${FLASH}-thinking`, undefined, 1_000, { thinkingBudget: 800, includeThoughts: true }],
  [`${FLASH}-thinking`, undefined, undefined, { includeThoughts: true }],
  [`${FLASH}-thinking-99999`, undefined, undefined, { thinkingBudget: 24_576, includeThoughts: true }],
  [`${FLASH}-nothinking`, 'high', undefined, { thinkingBudget: 0, includeThoughts: false }],
  ['gemini-3-pro-preview', 'low', undefined, { thinkingLevel: 'low', includeThoughts: true }],
  ['gemini-3-flash', 'none', undefined, { thinkingLevel: 'minimal', includeThoughts: false }],
  ['gemini-2.0-flash-thinking-exp', 'high', undefined, undefined],
])(
  'maps %s with the effort %p and the limit %p to the thinking config %j',
  (model, reasoning_effort, max_tokens, expected) => {
    const changes = { ...(reasoning_effort && { reasoning_effort }), ...(max_tokens && { max_tokens }) }
    expect(configOf(changes, model).thinkingConfig).toEqual(expected)
  },
)

test.each<[string, boolean]>([
  ['gemini-2.5-flash', false],
  ['gemini-2.0-flash', false],
  ['gemini-3-pro-preview', true],
])('%s takes an output format beside functions: %p', (model, isTaken) => {
  const tools = [{ type: 'function', function: { name: 'f' } }] as const
  const schema = { type: 'object', properties: { city: { type: 'string' } } }
  const response_format = { type: 'json_schema', json_schema: { name: 'answer', schema } } as const
  const body = toBody({ tools, response_format }, model)
  expect('responseJsonSchema' in asObject(body.generationConfig)).toBe(isTaken)
  expect(JSON.stringify(body.systemInstruction ?? '').includes('city')).toBe(!isTaken)
  expect(toBody({ response_format }, model).generationConfig).toHaveProperty('responseJsonSchema')
})

test('keeps zeros and requests several candidates', () => {
  expect(configOf({ temperature: 0, n: 2, presence_penalty: 0 })).toEqual({
    temperature: 0,
    candidateCount: 2,
    presencePenalty: 0,
  })
})

test.each(['{"schema":{"$ref":"#/$defs/B"}}', '{"schema":{"\\u0024ref":"#/$defs/B"}}'])(
  'sends a tool result with a reference as text: %s',
  content => {
    const messages: ChatMessage[] = [
      { role: 'assistant', tool_calls: [toolCall('a')] },
      { role: 'tool', tool_call_id: 'a', content },
    ]
    expect(contentsOf(FLASH, ...messages)).toMatchObject([
      {},
      { parts: [{ functionResponse: { name: 'name_of_a', response: { content } } }] },
    ])
  },
)

test('requests JSON output', () => {
  expect(configOf({ response_format: { type: 'json_object' } })).toEqual({
    responseMimeType: 'application/json',
  })
  const json_schema = {
    schema: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
  }
  expect(configOf({ response_format: { type: 'json_schema', json_schema } })).toEqual({
    responseMimeType: 'application/json',
    responseJsonSchema: json_schema.schema,
  })
})

test("turns the names of Gemini's own tools into those tools", () => {
  const tools = ['googleSearch', 'f'].map(name => ({ type: 'function' as const, function: { name } }))
  expect(toBody({ tools, tool_choice: { type: 'function', function: { name: 'f' } } })).toMatchObject({
    tools: [{ functionDeclarations: [{ name: 'f' }] }, { googleSearch: {} }],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
  })
})

test.each([
  [null, undefined],
  ['auto', undefined],
  ['none', { mode: 'NONE' }],
  ['required', { mode: 'ANY' }],
] as const)('searches beside functions with tool_choice %p', (tool_choice, functionCallingConfig) => {
  const tools = [{ type: 'function' as const, function: { name: 'f' } }]
  const { toolConfig, tools: sent } = toBody({ tools, tool_choice }, 'gemini-3-pro', {
    tools: [{ name: 'web_search' }],
  })
  expect(sent).toEqual([{ functionDeclarations: [{ name: 'f' }] }, { googleSearch: {} }])
  expect(toolConfig).toEqual({
    includeServerSideToolInvocations: true,
    ...(functionCallingConfig && { functionCallingConfig }),
  })
})

test('sends the records of hosted tools back before the call that followed them, and no other parts', () => {
  const records = [
    {
      toolCall: { id: 's', toolType: 'GOOGLE_SEARCH_WEB', args: { queries: ['q'] } },
      thoughtSignature: 'one',
    },
    { toolResponse: { id: 's', toolType: 'GOOGLE_SEARCH_WEB', response: {} }, thoughtSignature: 'two' },
  ]
  const google = { thought_signature: 'three', tool_parts: [...records, { fileData: { fileUri: 'x' } }] }
  const message = { role: 'assistant' as const, tool_calls: [toolCall('a', { google })] }
  expect(contentsOf('gemini-3-pro', message)).toMatchObject([
    { parts: [...records, { functionCall: { name: 'name_of_a' }, thoughtSignature: 'three' }] },
  ])
})

test("takes Google's own fields from extra_body", () => {
  const google = { thinking_config: { thinking_budget: 5 }, safety_settings: [], cached_content: 'c/1' }
  expect(toBody({ extra_body: { google } })).toMatchObject({
    generationConfig: { thinkingConfig: { thinking_budget: 5 } },
    safetySettings: [],
    cachedContent: 'c/1',
  })
})

test.each([
  [
    'gemini-3-pro-preview',
    [{ functionCall: { name: 'f' } }, { functionCall: { name: 'g' } }],
    ['skip_thought_signature_validator', undefined],
  ],
  ['gemini-3-pro-preview', [{ functionCall: { name: 'f' }, thought_signature: 's' }], [undefined]],
  ['gemini-2.5-pro', [{ functionCall: { name: 'f' } }], [undefined]],
  [
    'gemini-2.5-pro',
    [
      { text: 't', thought: true, thoughtSignature: 's' },
      { text: 'a', thoughtSignature: 's' },
    ],
    [undefined, 's'],
  ],
] as const)(
  'a client of Gemini may continue turns of other providers with %s: %j',
  (model, parts, signatures) => {
    const [content] = withSignatures([{ role: 'model', parts }], model)
    const sent = asArray(asObject(content).parts).map(asObject)
    expect(sent.map(part => part.thoughtSignature)).toEqual([...signatures])
    expect(Object.keys(sent[0] ?? {})).toEqual(expect.arrayContaining(Object.keys(parts[0])))
  },
)
