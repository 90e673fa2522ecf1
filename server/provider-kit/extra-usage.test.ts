import { describe, expect, test } from 'bun:test'
import { createAnthropicStreamReader, readReply as readMessage } from './anthropic-messages/response.ts'
import type { AdapterResult, StreamReader } from './contract/operation-adapter.ts'
import { findUnknownFields } from './extra-usage.ts'
import {
  createGeminiStreamReader,
  readGeminiUsage,
  readReply as readGenerated,
} from './gemini-generate/response.ts'
import { InteractionReader, readInteraction } from './gemini-interactions/response.ts'
import { asObject, type JsonObject } from './json.ts'
import { openaiCompatibleChat } from './openai-compatible/chat.ts'
import { toOpenaiReply } from './openai-compatible/chat-response.ts'
import { createResponsesStreamReader, readReply as readResponse } from './openai-responses/response.ts'

const testCall = {
  channel: { id: 1, key: 'k', baseUrl: 'https://provider.example', other: '', organization: '', setting: {} },
  model: 'm',
  body: { model: 'm', messages: [] },
  isStream: false,
  requestId: 'r',
  nowSeconds: 0,
}
const chat = openaiCompatibleChat()
const usageOf = (result: AdapterResult<unknown>) => (result.kind === 'reply' ? result.usage : undefined)
const usageOfStream = <Chunk>(reader: StreamReader<Chunk> | undefined, events: readonly JsonObject[]) => {
  for (const event of events) reader?.read({ data: JSON.stringify(event), raw: '' })
  return reader?.end().usage
}

const CHAT_USAGE = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 }
const chatUsage = (fields: JsonObject, usage: JsonObject = {}, message: JsonObject = {}) => {
  const common = { ...fields, usage: { ...CHAT_USAGE, ...usage } }
  const [reply, stream] = [
    usageOf(chat.reply({ ...common, choices: [{ message: { content: 'a', ...message } }] }, testCall)),
    usageOfStream(chat.stream?.(testCall), [
      { choices: [{ delta: { content: 'a', ...message }, finish_reason: 'stop' }] },
      { ...common, choices: [] },
    ]),
  ]
  expect(stream).toEqual(reply)
  return reply
}

describe('cache writes', () => {
  const written = { cached_tokens: 4 }
  const NAMES = ['cache_write_tokens', 'cache_creation_tokens', 'cached_creation_tokens']

  test.each(NAMES)('are read from chat completions, complete and streamed, as %s', name => {
    expect(chatUsage({}, { prompt_tokens_details: { ...written, [name]: 3 } })).toMatchObject({
      input: 2,
      cachedInput: 4,
      cacheWrite: 3,
    })
  })

  test.each(NAMES)('are read from responses, complete and streamed, as %s', name => {
    const usage = {
      input_tokens: 9,
      input_tokens_details: { ...written, [name]: 3 },
      output_tokens: 4,
      total_tokens: 13,
    }
    const response = { status: 'completed', output: [], usage }
    const expected = { input: 2, cachedInput: 4, cacheWrite: 3, output: 4 }
    expect(usageOf(readResponse(response, { requestId: 'r' }))).toMatchObject(expected)
    expect(
      usageOfStream(createResponsesStreamReader({ requestId: 'r' }), [
        { type: 'response.completed', response },
      ]),
    ).toMatchObject(expected)
  })
})

describe('the service tier that served a request', () => {
  test.each([
    ['OpenAI flex', { service_tier: 'flex' }, 'flex'],
    ['OpenAI priority', { service_tier: 'priority' }, 'priority'],
    ['OpenAI default', { service_tier: 'default' }, undefined],
    ['Groq on demand', { service_tier: 'on_demand' }, undefined],
    ['no text', { service_tier: 7 }, undefined],
  ])('is read from chat of %s', (_, fields, tier) => {
    expect(chatUsage(fields)?.serviceTier).toBe(tier)
  })

  test('is read from chat beside the counts, too', () => {
    expect(chatUsage({}, { service_tier: 'flex' })?.serviceTier).toBe('flex')
    expect(chatUsage({ service_tier: 'priority' }, { service_tier: 'flex' })?.serviceTier).toBe('priority')
  })

  test.each([
    [{ service_tier: 'standard', speed: 'fast' }, 'fast'],
    [{ service_tier: 'batch' }, 'batch'],
    [{ service_tier: 'standard' }, undefined],
  ])("is read from Claude's %p", (fields, tier) => {
    const usage = { input_tokens: 9, output_tokens: 4, ...fields }
    expect(usageOf(readMessage({ content: [], usage }))?.serviceTier).toBe(tier)
    const events = [{ type: 'message_start', message: { usage } }]
    expect(usageOfStream(createAnthropicStreamReader(), events)?.serviceTier).toBe(tier)
  })

  test.each([
    [{ trafficType: 'ON_DEMAND_PRIORITY' }, 'priority'],
    [{ trafficType: 'ON_DEMAND_FLEX' }, 'flex'],
    [{ trafficType: 'ON_DEMAND' }, undefined],
    [{ serviceTier: 'flex' }, 'flex'],
  ])("is read from Google's %p", (fields, tier) => {
    const json = {
      candidates: [{ content: { parts: [{ text: 'a' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 2, ...fields },
    }
    const call = { requestId: 'r' }
    expect(usageOf(readGenerated(json, call))?.serviceTier).toBe(tier)
    expect(usageOfStream(createGeminiStreamReader(call), [json])?.serviceTier).toBe(tier)
  })

  test('is read from the Responses API', () => {
    const response = { output: [], service_tier: 'flex', usage: { input_tokens: 5, output_tokens: 6 } }
    expect(usageOf(readResponse(response, { requestId: 'r' }))?.serviceTier).toBe('flex')
    const events = [{ type: 'response.completed', response }]
    expect(usageOfStream(createResponsesStreamReader({ requestId: 'r' }), events)?.serviceTier).toBe('flex')
  })
})

test('reads the region that Claude names, and none where it is the usual one', () => {
  const regionOf = (inference_geo: string) =>
    usageOf(readMessage({ content: [], usage: { input_tokens: 9, output_tokens: 4, inference_geo } }))?.region
  expect(['us', 'global', 'not_available'].map(regionOf)).toEqual(['us', undefined, undefined])
})

test('tells thoughts and cached tokens that the sum shows to be counted beside the totals', () => {
  const thoughts = { completion_tokens_details: { reasoning_tokens: 3 } }
  expect(chatUsage({}, { ...thoughts, total_tokens: 16 })?.separate).toEqual({ reasoning: 3 })
  expect(chatUsage({}, thoughts)?.separate).toBeUndefined()
  expect(chatUsage({}, { prompt_cache_hit_tokens: 5, total_tokens: 18 })?.separate).toEqual({
    cachedInput: 5,
  })
})

test('gives clients cached tokens among the details, whatever the provider calls them', () => {
  const detailsOf = (usage: JsonObject) =>
    asObject(toOpenaiReply({ choices: [], usage }, 'r').usage).prompt_tokens_details
  const details = { audio_tokens: 2 }
  for (const name of ['prompt_cache_hit_tokens', 'cached_tokens', 'num_cached_tokens']) {
    expect(detailsOf({ [name]: 4, prompt_tokens_details: details })).toEqual({ ...details, cached_tokens: 4 })
    expect(detailsOf({ [name]: 4, prompt_tokens_details: { cached_tokens: 3 } })).toEqual({
      cached_tokens: 3,
    })
  }
})

describe('the usage of an interaction', () => {
  const counts = { total_input_tokens: 10, total_output_tokens: 5, total_thought_tokens: 3 }
  const step = { type: 'model_output', content: [{ type: 'text', text: 'a' }] }
  const readBoth = (fields: JsonObject) => {
    const interaction = { id: 'v1_a', status: 'completed', steps: [step], ...fields }
    const reply = usageOf(readInteraction(interaction))
    const events = [
      { event_type: 'interaction.created', interaction: { id: 'v1_a', status: 'in_progress' } },
      { event_type: 'step.delta', index: 0, delta: { type: 'text', text: 'a' } },
      { event_type: 'interaction.completed', interaction },
    ]
    expect(usageOfStream(new InteractionReader(), events)).toEqual(reply)
    return reply
  }

  test.each<[string, JsonObject, JsonObject]>([
    ['thoughts beside the output', { total_tokens: 18 }, { input: 10, output: 5, reasoning: 3 }],
    ['thoughts in the output', { total_tokens: 15 }, { input: 10, output: 2, reasoning: 3 }],
    ['no sum', {}, { input: 10, output: 5, reasoning: 3 }],
    [
      'thoughts and tools beside',
      { total_tool_use_tokens: 4, total_tokens: 22 },
      { input: 14, output: 5, reasoning: 3 },
    ],
    [
      'only tools beside',
      { total_tool_use_tokens: 4, total_tokens: 19 },
      { input: 14, output: 2, reasoning: 3 },
    ],
    [
      'only thoughts beside',
      { total_tool_use_tokens: 4, total_tokens: 18 },
      { input: 10, output: 5, reasoning: 3 },
    ],
  ])('is read with %s, whole and streamed', (_, usage, expected) => {
    expect(readBoth({ usage: { ...counts, ...usage } })).toMatchObject(expected)
  })

  test('tells the tier that served, and a tool that nobody knows', () => {
    const grounding_tool_count = [
      { type: 'google_search', count: 2 },
      { type: 'google_attic', count: 1 },
    ]
    expect(readBoth({ service_tier: 'flex', usage: { ...counts, grounding_tool_count } })).toMatchObject({
      serviceTier: 'flex',
      webSearches: 2,
      unknownFields: ['grounding_tool_count.google_attic'],
    })
  })
})

describe('the modalities of a usage', () => {
  test('are summed where one is named twice, in letters of any size', () => {
    const audio = [
      { modality: 'AUDIO', tokenCount: 4 },
      { modality: 'audio', tokenCount: 3 },
      { modality: 'IMAGE', tokenCount: 2 },
    ]
    const json = { promptTokenCount: 20, candidatesTokenCount: 2, promptTokensDetails: audio }
    expect(readGeminiUsage(json)).toMatchObject({ input: 11, audioInput: 7, imageInput: 2 })
  })

  test('that nobody knows are named', () => {
    const details = [
      { modality: 'TEXT', tokenCount: 4 },
      { modality: 'SMELL', tokenCount: 5 },
    ]
    expect(findUnknownFields({ promptTokensDetails: details })).toEqual(['promptTokensDetails.SMELL'])
    expect(findUnknownFields({ input_tokens_by_modality: details })).toEqual([
      'input_tokens_by_modality.SMELL',
    ])
  })
})

test("Google's maps are charged once a response, however many places it shows", () => {
  const groundingChunks = [{ web: {} }, { maps: { title: 'a' } }, { maps: { title: 'b' } }]
  const json = {
    candidates: [
      { content: { parts: [{ text: 'a' }] }, finishReason: 'STOP', groundingMetadata: { groundingChunks } },
    ],
    usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 2 },
  }
  expect(usageOf(readGenerated(json, { requestId: 'r' }))?.toolCalls).toEqual({ maps: 1 })
  expect(usageOfStream(createGeminiStreamReader({ requestId: 'r' }), [json, json])?.toolCalls).toEqual({
    maps: 1,
  })
})

describe('what a provider searched', () => {
  test.each([
    [
      'Perplexity once a request',
      {},
      { search_context_size: 'low' },
      { webSearches: 1, searchContext: 'low' },
    ],
    ['Perplexity by query', {}, { num_search_queries: 7, search_context_size: 'low' }, { webSearches: 7 }],
    [
      'xAI',
      {},
      { server_side_tool_usage_details: { web_search_calls: 2, x_search_calls: 1 } },
      { webSearches: 3 },
    ],
    ['older xAI', {}, { num_sources_used: 4 }, { toolCalls: { live_search: 4 } }],
    ['Zhipu', { web_search: [{ title: 'a' }] }, {}, { webSearches: 1 }],
  ])('is counted for %s', (_, fields, usage, expected) => {
    expect(chatUsage(fields, usage)).toMatchObject(expected)
  })

  test.each([
    ['Moonshot', { tool_calls: [{ id: 'c', function: { name: '$web_search', arguments: '{}' } }] }],
    ["OpenAI's search models", { annotations: [{ type: 'url_citation', url_citation: { url: 'b' } }] }],
  ])('is counted from the message of %s', (_, message) => {
    expect(chatUsage({}, {}, message)?.webSearches).toBe(1)
  })

  test('is none where nothing says so', () => {
    expect(chatUsage({})).toMatchObject({ webSearches: 0 })
  })
})

describe('what tools of the Responses API did', () => {
  const IMAGE = { type: 'image_generation_call', status: 'completed', size: '1024x1024', quality: 'low' }
  const CODE = { type: 'code_interpreter_call', container_id: 'one' }
  const output = [IMAGE, CODE, CODE, { type: 'file_search_call' }]
  const response = { output, usage: { input_tokens: 5, output_tokens: 6 } }
  const counted = {
    toolCalls: { file_search: 1, code_interpreter: 1 },
    toolImages: [{ model: 'gpt-image-1', count: 1, size: '1024x1024', quality: 'low' }],
  }
  const done = output.map(item => ({ type: 'response.output_item.done', item }))

  test('is counted once for each call, image and container', () => {
    expect(usageOf(readResponse(response, { requestId: 'r' }))).toMatchObject(counted)
    const events = [...done, { type: 'response.completed', response }]
    expect(usageOfStream(createResponsesStreamReader({ requestId: 'r' }), events)).toMatchObject(counted)
  })

  test('is known although the response broke off', () => {
    expect(usageOfStream(createResponsesStreamReader({ requestId: 'r' }), done)).toMatchObject({
      input: 0,
      ...counted,
    })
  })

  const CALL = { type: 'code_interpreter_call', container_id: 'c' }
  const SHELL = { type: 'shell_call', environment: { type: 'container_reference', container_id: 'd' } }
  const interpreter = (memory_limit?: string) => ({
    type: 'code_interpreter',
    container: { type: 'auto', memory_limit },
  })
  const shell = (memory_limit?: string) => ({
    type: 'shell',
    environment: { type: 'container_auto', memory_limit },
  })
  const after = (seconds: number) => ({ created_at: 1_000, completed_at: 1_000 + seconds })

  test.each<[string, readonly JsonObject[], JsonObject, Record<string, number>]>([
    ['the least time', [CALL], { tools: [interpreter()], ...after(2) }, { container_1g: 5 }],
    ['begun minutes', [CALL], { tools: [interpreter()], ...after(361) }, { container_1g: 7 }],
    ['each size', [CALL], { tools: [interpreter('64g')], ...after(2) }, { container_64g: 5 }],
    ['a size between', [CALL], { tools: [interpreter('8g')], ...after(2) }, { container_16g: 5 }],
    ['a size of tomorrow', [CALL], { tools: [interpreter('256g')], ...after(2) }, { container_64g: 5 }],
    ['a size that is none', [CALL], { tools: [interpreter('much')], ...after(2) }, { container_64g: 5 }],
    [
      'an own container',
      [CALL],
      { tools: [{ ...interpreter(), container: 'c' }], ...after(2) },
      { container_1g: 5 },
    ],
    ['a hosted shell', [SHELL], { tools: [shell('4g')], ...after(2) }, { container_4g: 5 }],
    ['two calls in one', [SHELL, SHELL], { tools: [shell()], ...after(2) }, { container_1g: 5 }],
    [
      'two containers',
      [CALL, SHELL],
      { tools: [interpreter('4g'), shell()], ...after(2) },
      { container_4g: 5, container_1g: 5 },
    ],
    ['no time', [CALL], { tools: [interpreter('4g')] }, { container_4g: 20 }],
    ['times in the wrong order', [CALL], { tools: [interpreter()], ...after(-99) }, { container_1g: 5 }],
    ['a time of years', [CALL], { tools: [interpreter()], ...after(1e18) }, { container_1g: 1_000 }],
  ])('is counted for a container by %s', (_, items, fields, toolCalls) => {
    const full = { output: items, usage: { input_tokens: 5, output_tokens: 6 }, ...fields }
    expect(usageOf(readResponse(full, { requestId: 'r' }))?.toolCalls).toEqual(toolCalls)
    const events = [
      { type: 'response.created', response: { ...fields, completed_at: null } },
      ...items.map(item => ({ type: 'response.output_item.done', item })),
    ]
    const ended = [...events, { type: 'response.completed', response: full }]
    expect(usageOfStream(createResponsesStreamReader({ requestId: 'r' }), ended)?.toolCalls).toEqual(
      toolCalls,
    )
    const names = Object.keys(toolCalls)
    const broken = usageOfStream(createResponsesStreamReader({ requestId: 'r' }), events)?.toolCalls
    expect(broken).toEqual(Object.fromEntries(names.map(name => [name, 20])))
  })

  test('is nothing for the shell of the client', () => {
    const item = { type: 'shell_call', environment: { type: 'local' } }
    const local = {
      output: [item],
      tools: [{ type: 'shell', environment: { type: 'local' } }],
      usage: response.usage,
    }
    expect(usageOf(readResponse(local, { requestId: 'r' }))?.toolCalls).toBeUndefined()
  })

  test('takes the tokens of images where the provider tells them', () => {
    const image_gen = { input_tokens: 50, input_tokens_details: { image_tokens: 20 }, output_tokens: 900 }
    const tools = [{ type: 'image_generation', model: 'gpt-image-1.5' }]
    expect(
      usageOf(readResponse({ ...response, tools, tool_usage: { image_gen } }, { requestId: 'r' }))
        ?.toolImages,
    ).toEqual([{ model: 'gpt-image-1.5', count: 1, tokens: { input: 30, imageInput: 20, output: 900 } }])
  })
})
