import { describe, expect, test } from 'bun:test'
import { shapeDifference as differencesBetween, fetchFromLab, parseEvents, readRecorded } from '../testing.ts'

const KEY = { 'x-api-key': 'some-key', 'anthropic-version': '2023-06-01' }
const PATH = '/v1/messages'
const hello = {
  model: 'claude-sonnet-4-5-20250929',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'hello there' }],
}
const weather = {
  name: 'get_weather',
  input_schema: { type: 'object', properties: { city: { type: 'string' }, unit: { enum: ['celsius'] } } },
}

/** Fields that the provider added after the recordings. */
const NEWER =
  /\.(container|diagnostics|stop_details|inference_geo|output_tokens_details|server_tool_use|speed|citations|caller)\b|message_delta .*\.usage\.(input|cache)/
const shapeDifference = (lab: unknown, recordedValue: unknown, mayDiffer: readonly RegExp[] = []) =>
  differencesBetween(lab, recordedValue, [...mayDiffer, NEWER])

const json = async (reply: Promise<Response>) => (await reply).json()
const recorded = (name: string) => JSON.parse(readRecorded('anthropic', name))

/** Keeps one block per type, because all blocks of a type have the same shape. */
const byType = (items: readonly { type: string }[]) =>
  Object.fromEntries(items.map(item => [item.type, item]))
const eventsByName = (text: string) =>
  Object.fromEntries(parseEvents(text).map(({ name, payload }) => [`${name} ${kindOf(payload)}`, payload]))
const kindOf = (payload: unknown): string =>
  /"(?:delta|content_block)":\{"type":"(\w+)"/.exec(JSON.stringify(payload))?.[1] ?? ''

const streamed = async (body: object) =>
  eventsByName(await (await fetchFromLab(PATH, KEY, { ...hello, stream: true, ...body })).text())
const recordedStream = (name: string) => eventsByName(readRecorded('anthropic', name))

describe('a JSON message of the lab', () => {
  test('has the recorded shape', async () => {
    expect(shapeDifference(await json(fetchFromLab(PATH, KEY, hello)), recorded('message.json'))).toEqual([])
  })

  test('has the recorded blocks for thinking and tool calls', async () => {
    const thinking = await json(fetchFromLab(PATH, KEY, { ...hello, model: 'lab-reasoning-4' }))
    const recordedThinking = byType(recorded('message-thinking.json').content)
    expect(shapeDifference(byType(thinking.content), recordedThinking, [/redacted_thinking/])).toEqual([])
    const choice = { tools: [weather], tool_choice: { type: 'any' } }
    const calling = await json(fetchFromLab(PATH, KEY, { ...hello, ...choice }))
    const recordedCalls = byType(recorded('message-tools.json').content)
    expect(shapeDifference(byType(calling.content), recordedCalls, [/\.text/, /input\.unit/])).toEqual([])
    expect([calling.stop_reason, calling.content[0].input]).toEqual([
      'tool_use',
      { city: 'Lisbon', unit: 'celsius' },
    ])
  })

  test('excludes cached and cache-written tokens from the input tokens', async () => {
    const { usage } = await json(
      fetchFromLab(PATH, KEY, { ...hello, model: 'lab-cached-1+cache-write-2', system: 'be short, be kind' }),
    )
    expect(usage).toMatchObject({
      cache_read_input_tokens: 1,
      cache_creation_input_tokens: 2,
      input_tokens: 5,
    })
  })

  test('counts a prompt like the other formats', async () => {
    const { usage } = await json(fetchFromLab(PATH, KEY, hello))
    const chat = { model: 'gpt-4o', messages: hello.messages }
    const other = await json(fetchFromLab('/v1/chat/completions', { authorization: 'Bearer k' }, chat))
    expect([usage.input_tokens, usage.output_tokens]).toEqual([
      other.usage.prompt_tokens,
      other.usage.completion_tokens,
    ])
  })
})

describe('a streamed message of the lab', () => {
  test('has the recorded events', async () => {
    expect(shapeDifference(await streamed({}), recordedStream('stream.sse.txt'))).toEqual([])
  })

  test('has the recorded events for thinking and tool calls', async () => {
    const thinking = await streamed({ model: 'lab-reasoning-4' })
    const mayDiffer = [/redacted_thinking/, /ping/, /content_block_stop/]
    expect(shapeDifference(thinking, recordedStream('stream-thinking.sse.txt'), mayDiffer)).toEqual([])
    const calling = await streamed({ model: 'lab-tools', tools: [weather] })
    const tools = shapeDifference(calling, recordedStream('stream-tools.sse.txt'), [/ text/, /ping/])
    expect(tools).toEqual([])
  })

  test('ends with message_stop and the usage of the JSON message', async () => {
    const payload = await json(fetchFromLab(PATH, KEY, hello))
    const events = await streamed({})
    expect(Object.keys(events).at(-1)).toBe('message_stop ')
    expect(events['message_delta ']).toMatchObject({ usage: { output_tokens: payload.usage.output_tokens } })
  })
})

test('the model list has the recorded shape when the request has the Anthropic version header', async () => {
  expect(shapeDifference(await json(fetchFromLab('/v1/models', KEY)), recorded('models.json'))).toEqual([])
})

describe('Anthropic errors of the lab', () => {
  test.each([
    ['dead-key', 401],
    ['no-money', 400],
    ['rate-limit', 429],
    ['overloaded', 529],
    ['status-500', 500],
    ['status-413', 413],
  ])('%s has the recorded status and type', async (fault, status) => {
    const reply = await fetchFromLab(PATH, KEY, { ...hello, model: `lab-${fault}` })
    const body = await reply.json()
    expect(reply.status).toBe(status)
    const errors: { status: number; body: { error: { type: string } } }[] = recorded('errors.json')
    expect(errors.filter(error => error.status === status).map(error => error.body.error.type)).toContain(
      body.error.type,
    )
  })

  test('reject a request without the version header or max_tokens, as the provider does', async () => {
    const { 'x-api-key': key } = KEY
    const noVersion = await json(fetchFromLab(PATH, { 'x-api-key': key }, hello))
    expect(noVersion.error.message).toContain('anthropic-version')
    const { max_tokens: _, ...unlimited } = hello
    const reply = await json(fetchFromLab(PATH, KEY, unlimited))
    expect(reply.error).toMatchObject({
      type: 'invalid_request_error',
      message: expect.stringContaining('max_tokens'),
    })
  })
})
