import { expect, test } from 'bun:test'
import { NO_USAGE } from '../../core/usage.ts'
import { carrySignature } from '../../provider-kit/rules/carried-signatures.ts'
import { responseContext } from '../testing.ts'
import { dialect } from './index.ts'

const { parse, createWriter, writeReply } = dialect.chat
const contents = [{ role: 'user', parts: [{ text: 'hi' }] }]
const parseWith = (fields: object) => parse({ contents, ...fields }, { model: 'm' })
const ofPart = (part: object) => ({ contents: [{ parts: [part] }] })

test("accepts fields in snake case and camel case and keeps the client's own names", () => {
  const spelled = parseWith({
    system_instruction: { parts: [{ text: 'be brief' }] },
    generation_config: { max_output_tokens: 9, top_p: 0.5, stop_sequences: ['END'] },
    contents: [{ parts: [{ inline_data: { mime_type: 'image/png', data: 'AAAA' } }] }],
    tools: [
      {
        function_declarations: [
          { name: 'f', parameters: { type: 'OBJECT', properties: { is_hot: { type: 'BOOLEAN' } } } },
        ],
      },
    ],
  })
  expect(spelled.maxOutputTokens).toBe(9)
  expect(spelled.body).toMatchObject({
    max_tokens: 9,
    top_p: 0.5,
    stop: ['END'],
    messages: [
      { role: 'system', content: 'be brief' },
      { content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] },
    ],
    tools: [{ function: { parameters: { type: 'object', properties: { is_hot: { type: 'boolean' } } } } }],
  })
})

test('converts a Google schema to JSON Schema', () => {
  const responseSchema = {
    type: 'OBJECT',
    nullable: true,
    propertyOrdering: ['a'],
    properties: {
      a: { type: 'ARRAY', minItems: '2', items: { anyOf: [{ type: 'STRING' }] } },
      type: { type: 'STRING' },
    },
  }
  const { body } = parseWith({ generationConfig: { responseMimeType: 'application/json', responseSchema } })
  expect(body.response_format).toEqual({
    type: 'json_schema',
    json_schema: {
      name: 'response',
      schema: {
        type: ['object', 'null'],
        properties: {
          a: { type: 'array', minItems: 2, items: { anyOf: [{ type: 'string' }] } },
          type: { type: 'string' },
        },
      },
    },
  })
})

test('matches a result without an id to the oldest open call of its name', () => {
  const call = (name: string) => ({ functionCall: { name, args: { n: 1 } } })
  const result = (name: string) => ({ functionResponse: { name, response: { ok: true } } })
  const { body } = parseWith({
    contents: [
      ...contents,
      { role: 'model', parts: [call('f'), call('g'), call('f')] },
      { role: 'user', parts: [result('g'), result('f'), result('f'), { text: 'go on' }] },
    ],
  })
  expect(body.messages[1]?.tool_calls?.map(({ id }) => id)).toEqual(['call_1', 'call_2', 'call_3'])
  expect(body.messages.slice(2)).toMatchObject([
    { role: 'tool', tool_call_id: 'call_2' },
    { role: 'tool', tool_call_id: 'call_1' },
    { role: 'tool', tool_call_id: 'call_3' },
    { role: 'user', content: 'go on' },
  ])
})

test('keeps the signatures of thoughts and calls in both directions', () => {
  const extra_content = { google: { thought_signature: 's2' } }
  const toolCalls = [
    { id: 'c1', type: 'function' as const, function: { name: 'f', arguments: '{}' }, extra_content },
  ]
  const choice = {
    text: '',
    reasoning: 'hm',
    reasoningSignature: 's1',
    toolCalls,
    finish: 'tool_calls' as const,
  }
  const { candidates } = writeReply({ choices: [choice] }, NO_USAGE, responseContext())
  const parts = [
    { text: 'hm', thought: true, thoughtSignature: carrySignature('s1') },
    { functionCall: { id: 'c1', name: 'f', args: {} }, thoughtSignature: 's2' },
  ]
  expect(candidates).toEqual([{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }])
  expect(parseWith({ contents: [...contents, { role: 'model', parts }] }).body.messages[1]).toEqual({
    role: 'assistant',
    content: null,
    reasoning_content: 'hm',
    reasoning_signature: 's1',
    tool_calls: toolCalls,
  })
})

test.each(['s1', 'EqoBCkgIARABGAIiQL2UoU0b1OHYi+yCHpBY7U6FQW8', 'skip_thought_signature_validator'])(
  'takes the signature %p of a thought for that of Gemini',
  thoughtSignature => {
    const parts = [{ text: 'hm', thought: true, thoughtSignature }]
    expect(parseWith({ contents: [...contents, { role: 'model', parts }] }).body.messages[1]).toEqual({
      role: 'assistant',
      content: null,
      reasoning_content: 'hm',
    })
  },
)

test('ends a failed stream as a valid JSON array', () => {
  const writer = createWriter(responseContext())
  const text =
    writer.write({ type: 'text-delta', text: 'a' }) + writer.fail({ status: 503, code: 'x', message: 'gone' })
  expect(JSON.parse(text)).toMatchObject([
    { candidates: [{ content: { parts: [{ text: 'a' }] } }] },
    { error: { code: 503, status: 'UNAVAILABLE' } },
  ])
})

test.each([
  [{ thinkingBudget: 0 }, 'none'],
  [{ thinkingBudget: 1_024 }, 'low'],
  [{ thinkingBudget: 8_192 }, 'medium'],
  [{ thinkingBudget: 20_000 }, 'high'],
  [{ thinkingLevel: 'HIGH' }, 'high'],
  [{ thinkingBudget: -1 }, undefined],
])('maps %j to the effort %p', (thinkingConfig, effort) => {
  expect(parseWith({ generationConfig: { thinkingConfig } }).body.reasoning_effort).toBe(effort)
})

test.each([
  [{ tools: [{ laterTool: {} }] }, 'laterTool'],
  [{ cached_content: 'cachedContents/1' }, 'cachedContent'],
  [ofPart({ fileData: { fileUri: 'https://www.youtube.com/watch?v=a' } }), 'YouTube'],
  [ofPart({ file_data: { file_uri: 'https://youtu.be/a', mime_type: 'video/*' } }), 'video/*'],
  [ofPart({ inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }), 'video/mp4'],
  [ofPart({ inline_data: { mime_type: 'VIDEO/webm', data: 'AAAA' } }), 'VIDEO/webm'],
  [ofPart({ fileData: { mimeType: 'audio/mp3', fileUri: 'https://e.com/a.mp3' } }), 'audio/mp3'],
  [{ generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } }, 'IMAGE'],
  [{ contents: [{ parts: [{ executableCode: { code: '1' } }] }] }, 'executableCode'],
])('reserves %j for Gemini', (fields, named) => {
  expect(parseWith(fields).nativeOnlyFeature?.en).toContain(named)
})

test.each([
  [{ contents: [] }, 'contents: found a list of 0, needed at least 1'],
  [{ contents: [{ parts: [{ text: 7 }] }] }, 'contents[0].parts[0].text: found 7, needed string'],
  [{ generationConfig: { temperature: 9 } }, 'generationConfig.temperature: found 9, needed at most 2'],
  [
    { generationConfig: { maxOutputTokens: 9, max_output_tokens: 999 } },
    'max_output_tokens: found maxOutputTokens in two spellings, needed one of them',
  ],
  [{ generationConfig: { maxOutputTokens: 9, Max_Output_Tokens: 999 } }, 'generationConfig.MaxOutputTokens'],
  [{ generationConfig: {}, generation_config: { maxOutputTokens: 9 } }, 'two spellings'],
])('rejects %j with a reason', (fields, reason) => {
  expect(() => parseWith(fields)).toThrow(reason)
})

test('drops a second response to the same call, as Gemini CLI sends after resuming a session', () => {
  const call = { functionCall: { id: 'c1', name: 'f', args: {} } }
  const response = { functionResponse: { id: 'c1', name: 'f', response: { output: 'done' } } }
  const { body } = dialect.chat.parse(
    {
      contents: [
        { role: 'user', parts: [{ text: 'hi' }] },
        { role: 'model', parts: [call] },
        { role: 'user', parts: [response, response] },
        { role: 'user', parts: [{ text: 'go on' }] },
      ],
    },
    { model: 'm' },
  )
  expect(body.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
})

test.each([
  ['VALIDATED', ['f', 'g'], ['f', 'g'], 'validated'],
  ['ANY', ['f', 'g'], ['f', 'g'], 'required'],
  ['ANY', ['f'], ['f', 'g', 'h'], { type: 'function', function: { name: 'f' } }],
  ['AUTO', undefined, ['f', 'g', 'h'], 'auto'],
])('mode %s with the functions %j offers %j', (mode, allowedFunctionNames, offered, choice) => {
  const { body } = parseWith({
    tools: [{ functionDeclarations: [{ name: 'f' }, { name: 'g' }, { name: 'h' }] }],
    toolConfig: { functionCallingConfig: { mode, ...(allowedFunctionNames && { allowedFunctionNames }) } },
  })
  expect(body.tools?.map(tool => tool.function.name)).toEqual(offered)
  expect<unknown>(body.tool_choice).toEqual(choice)
})

test('tells how long to wait, and of which limit, as Google does', () => {
  const error = { status: 429, code: 'too_many_requests', message: 'slow down' }
  const detailsOf = (retryAfterSeconds: number) =>
    JSON.stringify(dialect.writeError({ ...error, retryAfterSeconds }, 'r'))
  expect(detailsOf(37)).toContain(
    '"violations":[{"quotaId":"GatewayRequestsPerMinute","description":"slow down"}]',
  )
  expect(detailsOf(37)).toContain('"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"37s"')
  expect(detailsOf(3_600)).toContain('GatewayRequestsPerDay')
  expect(JSON.stringify(dialect.writeError(error, 'r'))).not.toContain('details')
})
