import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { waitForLog } from '../harness/find-log.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { readNamespace } from '../harness/lab-namespace.ts'
import { setOptions } from '../harness/set-options.ts'
import { type Site, startSite } from '../harness/start-site.ts'

const providers = [
  { provider: 'openai', model: 'gpt-4o-mini' },
  { provider: 'custom', model: 'own-model' },
  { provider: 'anthropic', model: 'claude-3-5-haiku-20241022' },
  { provider: 'gemini', model: 'gemini-2.0-flash' },
] as const
const embedders = [
  { provider: 'openai', model: 'text-embedding-3-small' },
  { provider: 'gemini', model: 'gemini-embedding-001' },
] as const
/** Text of the lab and its token counts. */
const SENTENCE =
  'Hello from the lab 👋 No model thinks here: the same words come every time, at a set pace, counted honestly. 你好，世界。'
const USAGE = { prompt_tokens: 4, completion_tokens: 22, total_tokens: 26 }
const hello = [{ role: 'user' as const, content: 'hello, hello' }]
const IMAGE = `data:image/png;base64,${Buffer.from('a picture').toString('base64')}`
const tools = ['get_weather', 'get_time'].map(name => ({
  type: 'function' as const,
  function: {
    name,
    description: 'Says something of a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city', 'days'],
    },
  },
}))

let site: Site
let openai: OpenAI

beforeAll(async () => {
  site = await startSite()
  const models = [...providers, ...embedders].map(({ model }) => model)
  await setOptions(site.root, { ModelRatio: Object.fromEntries(models.map(model => [model, 1])) })
  for (const { provider, model } of [...providers, ...embedders])
    await addLabChannel(site.root, site.lab, {
      provider,
      models: [model],
      namespace: model.replaceAll('.', '-'),
    })
  const { key } = await addToken(site.root)
  openai = new OpenAI({ apiKey: `sk-${key}`, baseURL: `${site.gateway.url}/v1`, maxRetries: 0 })
})

afterAll(() => site?.stop())

const streamed = { stream: true, stream_options: { include_usage: true } } as const

describe.each(providers)('the official client through $provider', ({ model }) => {
  const lane = model.replaceAll('.', '-')

  test('reads a JSON response with finish reason and usage, which the log row confirms', async () => {
    const { data: reply, response } = await openai.chat.completions
      .create({ model, messages: hello })
      .withResponse()
    expect(reply.choices).toMatchObject([
      { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: SENTENCE } },
    ])
    expect(reply).toMatchObject({ object: 'chat.completion', model })
    expect(reply.usage).toMatchObject(USAGE)
    const row = await waitForLog(site.root, response.headers.get('x-oneapi-request-id') ?? '')
    expect(row).toMatchObject({ type: 2, model_name: model, is_stream: false, token_name: 'test' })
    expect(row).toMatchObject({ prompt_tokens: 4, completion_tokens: 22 })
  })

  test('reads the same content as a stream, which ends with the requested usage', async () => {
    const request = openai.chat.completions.create({ model, messages: hello, ...streamed })
    const { data: stream, response } = await request.withResponse()
    const chunks = await Array.fromAsync(stream)
    const text = chunks.map(chunk => chunk.choices[0]?.delta.content ?? '').join('')
    expect(text).toBe(SENTENCE)
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant')
    expect(chunks.flatMap(chunk => chunk.choices[0]?.finish_reason ?? [])).toEqual(['stop'])
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: USAGE })
    expect(chunks.filter(chunk => chunk.usage)).toHaveLength(1)
    expect(new Set(chunks.map(chunk => chunk.id)).size).toBe(1)
    const row = await waitForLog(site.root, response.headers.get('x-oneapi-request-id') ?? '')
    expect(row).toMatchObject({ is_stream: true, prompt_tokens: 4, completion_tokens: 22 })
  })

  test('receives a stream without usage when it does not request usage', async () => {
    const stream = await openai.chat.completions.create({ model, messages: hello, stream: true })
    const chunks = await Array.fromAsync(stream)
    expect(chunks.filter(chunk => chunk.usage)).toEqual([])
    expect(chunks.every(chunk => chunk.choices.length === 1)).toBe(true)
  })

  test.each([false, true])('receives two tool calls with their arguments (streamed: %p)', async isStream => {
    const body = { model, tools, messages: [{ role: 'user' as const, content: 'weather? [lab: tools-2]' }] }
    const reply = isStream
      ? await openai.chat.completions.stream(body).finalChatCompletion()
      : await openai.chat.completions.create(body)
    const calls = (reply.choices[0]?.message.tool_calls ?? []).filter(call => call.type === 'function')
    expect(reply.choices[0]?.finish_reason).toBe('tool_calls')
    expect(calls.map(call => call.function.name)).toEqual(['get_weather', 'get_time'])
    for (const call of calls)
      expect(JSON.parse(call.function.arguments)).toEqual({ city: 'Lisbon', days: 21 })
    expect(new Set(calls.map(call => call.id)).size).toBe(2)
  })

  test('sends a tool result and receives text', async () => {
    const requested = { role: 'user' as const, content: 'weather? [lab: tools]' }
    const first = await openai.chat.completions.create({ model, tools, messages: [requested] })
    const message = first.choices[0]?.message
    const [call] = message?.tool_calls ?? []
    if (!message || !call) throw new Error('expected a tool call, found none')
    const result = { role: 'tool' as const, tool_call_id: call.id, content: '{"celsius":21}' }
    const second = await openai.chat.completions.create({
      model,
      tools,
      messages: [requested, message, result],
    })
    expect(second.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: SENTENCE } })
    expect((await readNamespace(site.lab, lane)).last?.body).toContain('celsius')
  })

  test('sends an image, which reaches the provider', async () => {
    const content = [
      { type: 'text' as const, text: 'what is this?' },
      { type: 'image_url' as const, image_url: { url: IMAGE } },
    ]
    const reply = await openai.chat.completions.create({ model, messages: [{ role: 'user', content }] })
    expect(reply.choices[0]?.message.content).toBe(SENTENCE)
    expect(reply.usage?.prompt_tokens).toBeGreaterThan(85)
    expect((await readNamespace(site.lab, lane)).last?.body).toContain(IMAGE.split(',')[1] ?? '?')
  })

  test.each([false, true])('stops at max_tokens (streamed: %p)', async isStream => {
    const body = { model, messages: hello, max_tokens: 5 }
    const reply = isStream
      ? await openai.chat.completions.stream({ ...body, ...streamed }).finalChatCompletion()
      : await openai.chat.completions.create(body)
    expect(reply.choices[0]).toMatchObject({
      finish_reason: 'length',
      message: { content: 'Hello from the lab 👋' },
    })
    expect(reply.usage?.completion_tokens).toBe(5)
  })

  test.each([false, true])(
    'receives the reasoning separately from the answer (streamed: %p)',
    async isStream => {
      const body = { model, messages: [{ role: 'user' as const, content: 'think! [lab: reasoning-6]' }] }
      let thought = ''
      let texts = ''
      if (isStream)
        for await (const chunk of await openai.chat.completions.create({ ...body, stream: true })) {
          thought += reasoningOf(chunk.choices[0]?.delta)
          texts += chunk.choices[0]?.delta.content ?? ''
        }
      else {
        const reply = await openai.chat.completions.create(body)
        thought = reasoningOf(reply.choices[0]?.message)
        texts = reply.choices[0]?.message.content ?? ''
      }
      expect(thought).toBe('First I look at the question,')
      expect(texts).toBe(SENTENCE)
    },
  )
})

describe.each(embedders)('embeddings through $provider', ({ model }) => {
  test('returns embeddings in order with their usage, and charges for them', async () => {
    const { data: reply, response } = await openai.embeddings
      .create({ model, input: ['one', 'two words'], encoding_format: 'float' })
      .withResponse()
    expect(reply.data.map(({ index }) => index)).toEqual([0, 1])
    expect(reply.data[0]?.embedding.length).toBeGreaterThan(1)
    expect(reply.data[0]?.embedding).not.toEqual(reply.data[1]?.embedding ?? [])
    const row = await waitForLog(site.root, response.headers.get('x-oneapi-request-id') ?? '')
    expect(row).toMatchObject({ model_name: model, prompt_tokens: reply.usage.prompt_tokens })
    expect(row.quota).toBe(reply.usage.prompt_tokens)
    expect(row.quota).toBeGreaterThan(0)
  })

  test('returns embeddings as base64, which the client requests by default', async () => {
    const requested = await openai.embeddings.create({ model, input: 'one', encoding_format: 'float' })
    const reply = await openai.embeddings.create({ model, input: 'one' })
    expect(reply.data[0]?.embedding).toHaveLength(requested.data[0]?.embedding.length ?? 0)
    expect(reply.data[0]?.embedding[0]).toBeCloseTo(requested.data[0]?.embedding[0] ?? 0, 5)
  })
})

test('lists every model that the token may call, and returns each by its id', async () => {
  const models = await Array.fromAsync(openai.models.list())
  const names = [...providers, ...embedders].map(({ model }) => model)
  expect(models.map(({ id }) => id).sort()).toEqual([...names].sort())
  expect(await openai.models.retrieve('gpt-4o-mini')).toMatchObject({
    id: 'gpt-4o-mini',
    object: 'model',
    owned_by: 'openai',
  })
})

/** Field in which OpenAI-compatible providers return reasoning, unknown to the official types. */
function reasoningOf(message: object | undefined): string {
  const text = message && 'reasoning_content' in message ? message.reasoning_content : ''
  return typeof text === 'string' ? text : ''
}
