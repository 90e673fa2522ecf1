import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI, { APIError } from 'openai'
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
  type: 'function' as const,
  name,
  description: 'Says something of a city',
  parameters: { ...CITY_SCHEMA },
  strict: false,
}))
const USAGE = { input_tokens: 4, output_tokens: OUTPUT_TOKENS, total_tokens: 4 + OUTPUT_TOKENS }

let site: DialectSite
let openai: OpenAI

beforeAll(async () => {
  site = await startDialectSite()
  openai = new OpenAI({ apiKey: site.key, baseURL: `${site.gateway.url}/v1`, maxRetries: 0 })
})

afterAll(() => site?.stop())

type Body = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'stream'>

/** The response, as JSON or collected from its stream by the client. */
const ask = (body: Body, isStream: boolean): Promise<OpenAI.Responses.Response> =>
  isStream ? openai.responses.stream(body).finalResponse() : openai.responses.create(body)

describe.each(KINDS)('the official client of the Responses API through $vendor', ({ vendor, model }) => {
  test('reads a JSON response with its usage, and charges for it', async () => {
    const { data: reply, response } = await openai.responses.create({ model, input: QUESTION }).withResponse()
    expect(reply).toMatchObject({ object: 'response', status: 'completed', model, output_text: SENTENCE })
    expect(reply.usage).toMatchObject(USAGE)
    const row = await waitForLog(site.root, response.headers.get('x-oneapi-request-id') ?? '')
    expect(row).toMatchObject({ model_name: model, prompt_tokens: 4, completion_tokens: OUTPUT_TOKENS })
    expect(row.quota).toBeGreaterThan(4)
  })

  test('reads the same content as a stream of numbered events', async () => {
    const { data: stream, response } = await openai.responses
      .create({ model, input: QUESTION, stream: true })
      .withResponse()
    const events = await Array.fromAsync(stream)
    expect(events.map(event => event.sequence_number)).toEqual(events.map((_, index) => index))
    expect(events.slice(0, 2).map(({ type }) => type)).toEqual(['response.created', 'response.in_progress'])
    const deltas = events.map(event => (event.type === 'response.output_text.delta' ? event.delta : ''))
    expect(deltas.join('')).toBe(SENTENCE)
    const last = events.at(-1)
    if (last?.type !== 'response.completed') throw new Error(`expected an end, found ${last?.type}`)
    expect(last.response.usage).toMatchObject(USAGE)
    const row = await waitForLog(site.root, response.headers.get('x-oneapi-request-id') ?? '')
    expect(row).toMatchObject({ is_stream: true, prompt_tokens: 4, completion_tokens: OUTPUT_TOKENS })
  })

  test.each([false, true])(
    'receives two function calls with their arguments (streamed: %p)',
    async isStream => {
      const reply = await ask({ model, tools, input: 'weather? [lab: tools-2]' }, isStream)
      const calls = reply.output.filter(item => item.type === 'function_call')
      expect(calls.map(({ name }) => name)).toEqual(['get_weather', 'get_time'])
      for (const call of calls) expect(JSON.parse(call.arguments)).toEqual(CITY)
      expect(new Set(calls.map(({ call_id }) => call_id)).size).toBe(2)
    },
  )

  test('sends a function result and receives text', async () => {
    const requested = { role: 'user' as const, content: 'weather? [lab: tools]' }
    const first = await ask({ model, tools, input: [requested] }, false)
    const [call] = first.output.filter(item => item.type === 'function_call')
    if (!call) throw new Error('expected a call, found none')
    const result = {
      type: 'function_call_output' as const,
      call_id: call.call_id,
      output: '{"celsius":21}',
    }
    const second = await ask({ model, tools, input: [requested, call, result] }, false)
    expect(second.output_text).toBe(SENTENCE)
    expect((await readNamespace(site.lab, vendor)).last?.body).toContain('celsius')
  })

  test.each([false, true])('sends an image, which reaches the vendor (streamed: %p)', async isStream => {
    const content = [
      { type: 'input_text' as const, text: 'what is this?' },
      {
        type: 'input_image' as const,
        image_url: `data:image/png;base64,${IMAGE}`,
        detail: 'auto' as const,
      },
    ]
    const reply = await ask({ model, input: [{ role: 'user', content }] }, isStream)
    expect(reply.output_text).toBe(SENTENCE)
    expect(reply.usage?.input_tokens).toBeGreaterThan(85)
    expect((await readNamespace(site.lab, vendor)).last?.body).toContain(IMAGE)
  })

  test.each([false, true])(
    'reports a response that stopped at its token limit (streamed: %p)',
    async isStream => {
      const reply = await ask({ model, input: QUESTION, max_output_tokens: 5 }, isStream)
      expect(reply).toMatchObject({
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
      })
      expect(reply.usage?.output_tokens).toBe(5)
    },
  )

  test.each([false, true])('receives the reasoning as a separate item (streamed: %p)', async isStream => {
    const reply = await ask({ model, input: 'think! [lab: reasoning-6]' }, isStream)
    const [thought] = reply.output.filter(item => item.type === 'reasoning')
    expect(thought?.summary.map(({ text }) => text).join('')).toBe('First I look at the question,')
    expect(reply.output_text).toBe(SENTENCE)
  })

  test('receives errors in the format of its own API, as JSON and inside a stream', async () => {
    const error = await ask({ model, input: '[lab: overloaded]' }, false).catch((thrown: unknown) => thrown)
    if (!(error instanceof APIError)) throw new Error('expected an error of the API')
    expect(error.error).toMatchObject({ message: expect.stringContaining('request id') })
    const stream = await openai.responses.create({ model, input: '[lab: error-event-3]', stream: true })
    const events = await Array.fromAsync(stream)
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['error', 'response.failed'])
    expect(events.at(-1)).toMatchObject({
      response: { status: 'failed', error: { code: expect.any(String) } },
    })
    expect(events.map(event => event.sequence_number)).toEqual(events.map((_, index) => index))
  })
})

test('rejects a reference to a response that does not exist', async () => {
  const { model } = KINDS[1]
  const requested = ask({ model, input: QUESTION, previous_response_id: 'resp_1' }, false)
  const error = await requested.catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ status: 404, code: 'previous_response_not_found' })
})

test('rejects a background response because it could not be retrieved', async () => {
  const requested = ask({ model: KINDS[0].model, input: QUESTION, background: true }, false)
  expect(await requested.catch((thrown: unknown) => thrown)).toMatchObject({ status: 400 })
})
