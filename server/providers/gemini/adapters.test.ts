import { expect, test } from 'bun:test'
import type { AdapterCall } from '../../provider-kit/contract/operation-adapter.ts'
import { chat, embeddings, native } from './adapters.ts'

const callOf = <Body>(body: Body, isStream = false, other = ''): AdapterCall<Body> => ({
  channel: { id: 1, key: 'k', baseUrl: 'https://v.example', other, organization: '', setting: {} },
  model: 'gemini-2.5-flash',
  body,
  isStream,
  requestId: 'r1',
  nowSeconds: 0,
})
const body = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] }

test("puts the model, the method and the channel's API version into the URL", () => {
  expect(chat.request(callOf(body)).url).toBe(
    'https://v.example/v1beta/models/gemini-2.5-flash:generateContent',
  )
  expect(chat.request(callOf(body, true, 'v1')).url).toBe(
    'https://v.example/v1/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
  )
})

test("forwards a Gemini client's body unchanged", () => {
  const own = { contents: [], unheard_of: { a: 0 } }
  expect(JSON.parse(String(native.request(callOf(own)).body))).toEqual(own)
})

test('derives call ids from the request id, the same with and without a stream', () => {
  const part = { functionCall: { name: 'f', args: {} } }
  const json = { candidates: [{ content: { parts: [part, part] }, finishReason: 'STOP' }] }
  const replied = chat.reply(json, callOf(body))
  expect(replied).toMatchObject({
    reply: { choices: [{ toolCalls: [{ id: 'call_r1_0_0' }, { id: 'call_r1_0_1' }] }] },
  })
  const pieces = chat.stream?.(callOf(body)).read({ data: JSON.stringify(json), raw: '' })
  expect(pieces).toMatchObject([
    { type: 'start' },
    { type: 'tool-call-start', id: 'call_r1_0_0', index: 0 },
    { type: 'tool-call-start', id: 'call_r1_0_1', index: 1 },
    { type: 'finish', reason: 'tool_calls' },
  ])
})

test.each([
  ['STOP', 'stop'],
  ['CONTINUATION', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['TOO_MANY_TOOL_CALLS', 'length'],
  ['SAFETY', 'content_filter'],
  ['SPII', 'content_filter'],
  ['NO_IMAGE', 'content_filter'],
  ['IMAGE_RECITATION', 'content_filter'],
  ['A_REASON_OF_NEXT_YEAR', 'content_filter'],
])('ends with the reason %s as a client knows it, the same with and without a stream', (reason, finish) => {
  const json = { candidates: [{ content: { parts: [{ text: 'a' }] }, finishReason: reason }] }
  expect(chat.reply(json, callOf(body))).toMatchObject({ reply: { choices: [{ finish }] } })
  const pieces = chat.stream?.(callOf(body)).read({ data: JSON.stringify(json), raw: '' })
  expect(pieces?.at(-1)).toMatchObject({ type: 'finish', reason: finish })
})

test('keeps the records of hosted tools with the call that follows them, the same with and without a stream', () => {
  const records = [
    {
      toolCall: { id: 's', toolType: 'GOOGLE_SEARCH_WEB', args: { queries: ['q'] } },
      thoughtSignature: 'one',
    },
    { toolResponse: { id: 's', toolType: 'GOOGLE_SEARCH_WEB', response: {} }, thoughtSignature: 'two' },
  ]
  const called = { functionCall: { name: 'f', args: {} }, thoughtSignature: 'three' }
  const toJson = (parts: readonly object[], finishReason?: string) => ({
    candidates: [{ content: { parts }, finishReason }],
  })
  const extra = { google: { thought_signature: 'three', tool_parts: records } }
  expect(chat.reply(toJson([...records, called, called], 'STOP'), callOf(body))).toMatchObject({
    reply: {
      choices: [
        {
          text: '',
          toolCalls: [
            { extra_content: extra },
            { extra_content: { google: { thought_signature: 'three' } } },
          ],
        },
      ],
    },
  })
  const stream = chat.stream?.(callOf(body))
  const events = [...records.map(record => toJson([record])), toJson([called], 'STOP')]
  const pieces = events.flatMap(json => stream?.read({ data: JSON.stringify(json), raw: '' }) ?? [])
  expect(pieces).toMatchObject([
    { type: 'start' },
    { type: 'tool-call-start', extraContent: extra },
    { type: 'finish', reason: 'tool_calls' },
  ])
})

test('reads a response without candidates as a failure, also in a stream', () => {
  expect(chat.reply({ candidates: [] }, callOf(body))).toMatchObject({
    kind: 'failure',
    failure: { status: 502 },
  })
  const error = { error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } }
  expect(chat.stream?.(callOf(body)).read({ data: JSON.stringify(error), raw: '' })).toMatchObject([
    { type: 'failure', failure: { status: 503, message: 'overloaded' } },
  ])
})

test('reports audio separately and adds thinking to the output', () => {
  const usageMetadata = {
    promptTokenCount: 10,
    toolUsePromptTokenCount: 5,
    candidatesTokenCount: 7,
    thoughtsTokenCount: 3,
    promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 4 }],
  }
  const json = { candidates: [{ content: { parts: [{ text: 'a' }] }, finishReason: 'STOP' }], usageMetadata }
  expect(chat.reply(json, callOf(body))).toMatchObject({
    usage: { input: 11, audioInput: 4, output: 7, reasoning: 3 },
  })
})

test('embeds every input and rejects token ids', () => {
  const request = embeddings.request(callOf({ model: 'm', input: ['a', 'b'], dimensions: 8 }))
  expect(request.url).toEndWith(':batchEmbedContents')
  expect(JSON.parse(String(request.body)).requests).toEqual(
    ['a', 'b'].map(text => ({
      model: 'models/gemini-2.5-flash',
      content: { parts: [{ text }] },
      outputDimensionality: 8,
    })),
  )
  expect(() => embeddings.request(callOf({ model: 'm', input: [1, 2] }))).toThrow('input: found token IDs')
})
