import { expect, test } from 'bun:test'
import type { AdapterResult } from '../contract/operation-adapter.ts'
import type { JsonObject } from '../json.ts'
import { FormFile } from '../json.ts'
import { responsesTokenCount } from '../openai-responses/adapters.ts'
import { readResponsesUsage } from '../openai-responses/response.ts'
import { createToolCounter } from '../openai-responses/tool-counter.ts'
import { openaiCompatibleSpeech, openaiCompatibleTranscription, readImages } from './media.ts'
import { createRerankAdapter, openaiCompatibleEmbeddings } from './operations.ts'

const channel = {
  ...{ id: 1, key: 'k', baseUrl: 'https://provider.example', other: '', organization: '', setting: {} },
}
const call = { channel, model: 'm', isStream: false, requestId: 'r', nowSeconds: 0 }
const usageOf = (result: AdapterResult<unknown>) => (result.kind === 'reply' ? result.usage : undefined)

const embed = (json: JsonObject) =>
  openaiCompatibleEmbeddings().reply(
    { data: [{ index: 0, embedding: [1] }], ...json },
    { ...call, body: { model: 'm', input: 'a' } },
  )
const rank = (json: JsonObject) =>
  createRerankAdapter().reply(
    { results: [{ index: 0, relevance_score: 1 }], ...json },
    { ...call, body: { model: 'm', query: 'a', documents: ['b'] } },
  )
const file = new FormFile({ name: 'a.wav', mediaType: 'audio/wav', bytes: new Uint8Array(1) })
const transcribe = (json: JsonObject) =>
  openaiCompatibleTranscription().reply({ text: 'a', ...json }, { ...call, body: { model: 'm', file } })

test.each<[string, AdapterResult<unknown>, JsonObject]>([
  ['embeddings', embed({ usage: { prompt_tokens: 9, total_tokens: 9 } }), { input: 9 }],
  ['a ranking by its sum', rank({ usage: { total_tokens: 9 } }), { input: 9, output: 0 }],
  ['a ranking by its prompt', rank({ usage: { prompt_tokens: 8 } }), { input: 8, output: 0 }],
  [
    'a ranking of Cohere',
    rank({ meta: { tokens: { input_tokens: 7, output_tokens: 2 } } }),
    { input: 7, output: 2 },
  ],
  ['an older ranking', rank({ tokens: { input_tokens: 6, output_tokens: 3 } }), { input: 6, output: 3 }],
  ['a transcription', transcribe({ usage: { input_tokens: 9, output_tokens: 4 } }), { input: 9, output: 4 }],
  [
    'a transcription with names of chat',
    transcribe({ usage: { prompt_tokens: 9, completion_tokens: 4 } }),
    { input: 9, output: 4 },
  ],
  ['a transcription by its length', transcribe({ duration: 12 }), { seconds: 12 }],
])('reads the usage of %s', (_, result, expected) => {
  expect(usageOf(result)).toMatchObject(expected)
})

test('tells clients how long the sound of a transcription is', () => {
  const result = transcribe({ duration: 12 })
  expect(result.kind === 'reply' && result.reply.seconds).toBe(12)
})

test('reads the usage of streamed speech, and of none', () => {
  const usageAfter = (event: JsonObject) => {
    const reader = openaiCompatibleSpeech().stream?.({
      ...{ ...call, isStream: true, body: { model: 'm', input: 'a', voice: 'b' } },
    })
    reader?.read({ data: JSON.stringify(event), raw: '' })
    return reader?.end().usage
  }
  const usage = { input_tokens: 4, output_tokens: 6 }
  expect(usageAfter({ type: 'speech.audio.done', usage })).toMatchObject({ input: 4, output: 6 })
  expect(usageAfter({ type: 'speech.audio.delta', usage })).toBeUndefined()
})

test('repeats the usage of an image only where there is one', () => {
  const extraOf = (usage: unknown) => {
    const result = readImages({ data: [{ url: 'a' }], usage })
    return result.kind === 'reply' ? result.reply.extra : undefined
  }
  expect(extraOf(null)).toEqual({})
  expect(extraOf({ input_tokens: 1 })).toEqual({ usage: { input_tokens: 1 } })
})

test('tells thoughts that a response counts beside its output', () => {
  const usage = { input_tokens: 9, output_tokens: 4, output_tokens_details: { reasoning_tokens: 3 } }
  expect(readResponsesUsage({ ...usage, total_tokens: 16 })?.separate).toEqual({ reasoning: 3 })
  expect(readResponsesUsage({ ...usage, total_tokens: 13 })?.separate).toBeUndefined()
})

test('names counts of a response and of its tools that nobody knows, and reads those of xAI', () => {
  const extrasOf = (response: JsonObject) => createToolCounter().extras(response)
  const tool_usage = { web_search: { num_requests: 2 }, crystal_ball: { num_requests: 1 } }
  expect(extrasOf({ usage: { fresh_tokens: 3 }, tool_usage })).toMatchObject({
    webSearches: 2,
    unknownFields: ['fresh_tokens', 'tool_usage.crystal_ball'],
  })
  const usage = { server_side_tool_usage_details: { web_search_calls: 2, code_interpreter_calls: 1 } }
  expect(extrasOf({ usage })).toEqual({ webSearches: 2, toolCalls: { code_interpreter: 1 } })
})

test('reads the count of an input', () => {
  const reply = responsesTokenCount.reply(
    { input_tokens: 7 },
    { ...call, body: { model: 'm', messages: [] } },
  )
  expect(reply).toEqual({ kind: 'reply', reply: 7 })
})
