import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic, { APIError } from '@anthropic-ai/sdk'
import {
  CITY,
  CITY_SCHEMA,
  type DialectSite,
  IMAGE,
  KINDS,
  OUTPUT_TOKENS,
  QUESTION,
  SENTENCE,
  startDialectSite,
} from '../harness/dialect-site.ts'
import { waitForLog } from '../harness/find-log.ts'
import { readNamespace } from '../harness/lab-namespace.ts'

const tools = ['get_weather', 'get_time'].map(name => ({
  name,
  description: 'Says something of a city',
  input_schema: { ...CITY_SCHEMA, required: [...CITY_SCHEMA.required] },
}))

let site: DialectSite
let anthropic: Anthropic

beforeAll(async () => {
  site = await startDialectSite()
  anthropic = new Anthropic({ apiKey: site.key, baseURL: site.gateway.url, maxRetries: 0 })
})

afterAll(() => site?.stop())

const ask = (content: string) => ({ max_tokens: 500, messages: [{ role: 'user' as const, content }] })

describe.each(KINDS)('the official Anthropic client through $provider', ({ provider, model }) => {
  test('reads a JSON message with stop reason and usage, and charges for it', async () => {
    const { data: message, response } = await anthropic.messages
      .create({ model, ...ask(QUESTION) })
      .withResponse()
    expect(message).toMatchObject({ type: 'message', role: 'assistant', model, stop_reason: 'end_turn' })
    expect(message.content).toMatchObject([{ type: 'text', text: SENTENCE }])
    expect(message.usage).toMatchObject({ input_tokens: 4, output_tokens: OUTPUT_TOKENS })
    const row = await waitForLog(site.root, response.headers.get('x-oneapi-request-id') ?? '')
    expect(row).toMatchObject({ model_name: model, prompt_tokens: 4, completion_tokens: OUTPUT_TOKENS })
    expect(row.quota).toBeGreaterThan(4)
  })

  test('reads the same content as a stream, and charges the same', async () => {
    const json = await anthropic.messages.create({ model, ...ask(QUESTION) }).withResponse()
    const { data: stream, response } = await anthropic.messages
      .create({ model, ...ask(QUESTION), stream: true })
      .withResponse()
    const events = await Array.fromAsync(stream)
    expect(events[0]?.type).toBe('message_start')
    expect(events.at(-1)?.type).toBe('message_stop')
    const text = events.map(event =>
      event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? event.delta.text : '',
    )
    expect(text.join('')).toBe(SENTENCE)
    expect(events.find(event => event.type === 'message_delta')).toMatchObject({
      delta: { stop_reason: 'end_turn' },
      usage: { output_tokens: OUTPUT_TOKENS },
    })
    const [requested, streamed] = await Promise.all(
      [json.response, response].map(({ headers }) =>
        waitForLog(site.root, headers.get('x-oneapi-request-id') ?? ''),
      ),
    )
    expect(streamed).toMatchObject({ is_stream: true, prompt_tokens: 4, completion_tokens: OUTPUT_TOKENS })
    expect(streamed?.quota).toBe(requested?.quota ?? -1)
  })

  test.each([false, true])('receives two tool calls with their input (streamed: %p)', async isStream => {
    const body = { model, tools, ...ask('weather? [lab: tools-2]') }
    const message = isStream
      ? await anthropic.messages.stream(body).finalMessage()
      : await anthropic.messages.create(body)
    const calls = message.content.filter(block => block.type === 'tool_use')
    expect(message.stop_reason).toBe('tool_use')
    expect(calls.map(({ name, input }) => ({ name, input }))).toEqual([
      { name: 'get_weather', input: CITY },
      { name: 'get_time', input: CITY },
    ])
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
  })

  test('sends a tool result with an image and receives text', async () => {
    const requested = { role: 'user' as const, content: 'weather? [lab: tools]' }
    const first = await anthropic.messages.create({ model, tools, max_tokens: 500, messages: [requested] })
    const [call] = first.content.filter(block => block.type === 'tool_use')
    if (!call) throw new Error('expected a tool call, found none')
    const source = { type: 'base64' as const, media_type: 'image/png' as const, data: IMAGE }
    const result = {
      type: 'tool_result' as const,
      tool_use_id: call.id,
      content: [
        { type: 'text' as const, text: '{"celsius":21}' },
        { type: 'image' as const, source },
      ],
    }
    const messages = [
      requested,
      { role: 'assistant' as const, content: first.content },
      { role: 'user' as const, content: [result] },
    ]
    const second = await anthropic.messages.create({ model, tools, max_tokens: 500, messages })
    expect(second.content).toMatchObject([{ type: 'text', text: SENTENCE }])
    const { last } = await readNamespace(site.lab, provider)
    expect(last?.body).toContain('celsius')
    expect(last?.body).toContain(IMAGE)
  })

  test.each([false, true])('sends an image, which reaches the provider (streamed: %p)', async isStream => {
    const source = { type: 'base64' as const, media_type: 'image/png' as const, data: IMAGE }
    const content = [
      { type: 'text' as const, text: 'what is this?' },
      { type: 'image' as const, source },
    ]
    const body = { model, max_tokens: 500, messages: [{ role: 'user' as const, content }] }
    const message = isStream
      ? await anthropic.messages.stream(body).finalMessage()
      : await anthropic.messages.create(body)
    expect(message.content).toMatchObject([{ type: 'text', text: SENTENCE }])
    expect(message.usage.input_tokens).toBeGreaterThan(85)
    expect((await readNamespace(site.lab, provider)).last?.body).toContain(IMAGE)
  })

  test.each([false, true])('stops at max_tokens (streamed: %p)', async isStream => {
    const body = { model, ...ask(QUESTION), max_tokens: 5 }
    const message = isStream
      ? await anthropic.messages.stream(body).finalMessage()
      : await anthropic.messages.create(body)
    expect(message.stop_reason).toBe('max_tokens')
    expect(message.usage.output_tokens).toBe(5)
  })

  test.each([false, true])(
    'receives thinking in a block of its own when it asks (streamed: %p)',
    async isStream => {
      const thinking = { type: 'enabled', budget_tokens: 1_024 } as const
      const body = { model, ...ask('think! [lab: reasoning-6]'), max_tokens: 2_000, thinking }
      const message = isStream
        ? await anthropic.messages.stream(body).finalMessage()
        : await anthropic.messages.create(body)
      expect(message.content).toMatchObject([
        { type: 'thinking', thinking: 'First I look at the question,' },
        { type: 'text', text: SENTENCE },
      ])
    },
  )

  test('receives an error in the format of its own API', async () => {
    const failing = anthropic.messages.create({ model, ...ask('[lab: overloaded]') })
    const error = await failing.then(() => undefined).catch((thrown: unknown) => thrown)
    if (!(error instanceof APIError)) throw new Error('expected an error of the API')
    expect(error.error).toMatchObject({ type: 'error', error: { type: expect.stringMatching(/_error$/) } })
    expect(error.status).toBeGreaterThanOrEqual(400)
  })

  test('receives an error event inside a stream instead of a normal end', async () => {
    const stream = anthropic.messages.stream({ model, ...ask('[lab: error-event-3]') })
    const error = await stream.finalMessage().catch((thrown: unknown) => thrown)
    if (!(error instanceof APIError)) throw new Error('expected an error of the API')
    expect(error.error).toMatchObject({ type: 'error', error: { type: expect.stringMatching(/_error$/) } })
  })

  test('counts tokens without a completion', async () => {
    const { max_tokens, ...body } = ask(QUESTION)
    const counted = await anthropic.messages.countTokens({ model, ...body })
    expect(counted.input_tokens).toBeGreaterThan(2)
  })
})

test('accepts the key as a bearer token', async () => {
  const bearer = new Anthropic({
    authToken: site.key,
    apiKey: null,
    baseURL: site.gateway.url,
    maxRetries: 0,
  })
  const message = await bearer.messages.create({ model: KINDS[1].model, ...ask(QUESTION) })
  expect(message.content).toHaveLength(1)
})

test('lists models in the format that the client expects', async () => {
  const models = await Array.fromAsync(anthropic.models.list({ limit: 2 }))
  expect(models.map(({ id }) => id).sort()).toEqual(KINDS.map(({ model }) => model).sort())
  expect(await anthropic.models.retrieve(KINDS[0].model)).toMatchObject({ type: 'model', id: KINDS[0].model })
})

test('rejects an unknown key in the format of the client API', async () => {
  const stranger = new Anthropic({ apiKey: 'sk-nobody', baseURL: site.gateway.url, maxRetries: 0 })
  const error = await stranger.messages
    .create({ model: KINDS[0].model, ...ask(QUESTION) })
    .catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ status: 401, error: { error: { type: 'authentication_error' } } })
})
