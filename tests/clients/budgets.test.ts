import { afterAll, beforeAll, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { ApiError, GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { createBudget } from '#features/budgets/contract.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { setOptions } from '../harness/set-options.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { waitUntil } from '../harness/wait-until.ts'

const MODEL = 'asked'
const MODELS = [MODEL, 'dall-e-3', 'text-embedding-3-small', 'tts-1', 'gpt-4o-realtime-preview']
const WAIT_MS = 5_000
const messages = [{ role: 'user' as const, content: 'hello' }]

let site: Site
let apiKey: string
/** Requests that the clients have sent, retries too. */
let sent = 0

beforeAll(async () => {
  site = await startSite()
  await setOptions(site.root, { ModelRatio: Object.fromEntries(MODELS.map(model => [model, 1])) })
  await addLabChannel(site.root, site.lab, { provider: 'openai', models: MODELS })
  const { id, key } = await addToken(site.root)
  apiKey = `sk-${key}`
  const rule = {
    unit: 'requests',
    amount: 1,
    period: 'rolling',
    hours: 24,
    time_zone: 'UTC',
    name: 'Course',
  } as const
  await site.root.call(createBudget, { body: { subject: 'token', subject_id: id, ...rule } })
  await openai().chat.completions.create({ model: MODEL, messages })
})

afterAll(() => site?.stop())

const countedFetch: typeof fetch = Object.assign(
  (...call: Parameters<typeof fetch>) => {
    sent += 1
    return fetch(...call)
  },
  { preconnect: fetch.preconnect },
)
const openai = () => new OpenAI({ apiKey, baseURL: `${site.gateway.url}/v1`, fetch: countedFetch })
const anthropic = () => new Anthropic({ apiKey, baseURL: site.gateway.url, fetch: countedFetch })
const google = () => new GoogleGenAI({ apiKey, httpOptions: { baseUrl: site.gateway.url } })

const SAYS =
  /the budget \\?"Course\\?" is 1 requests: 1 requests are used or reserved.*its oldest use ends at \d{4}-\d\d-\d\d \d\d:\d\d UTC/
const DAY_SECONDS = 86_400

async function thrownBy(call: () => PromiseLike<unknown>): Promise<unknown> {
  sent = 0
  return call().then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
}

function expectReset(seconds: string | null | undefined): void {
  expect(Number(seconds) / DAY_SECONDS).toBeCloseTo(1, 1)
}

const OPENAI_CALLS: Readonly<Record<string, (client: OpenAI) => PromiseLike<unknown>>> = {
  'a chat completion': client => client.chat.completions.create({ model: MODEL, messages }),
  'a streamed chat completion': client =>
    client.chat.completions.create({ model: MODEL, messages, stream: true }),
  'a completion': client => client.completions.create({ model: MODEL, prompt: 'hello' }),
  'a response': client => client.responses.create({ model: MODEL, input: 'hello' }),
  'a streamed response': client => client.responses.create({ model: MODEL, input: 'hello', stream: true }),
  'an embedding': client => client.embeddings.create({ model: 'text-embedding-3-small', input: 'hello' }),
  'an image': client => client.images.generate({ model: 'dall-e-3', prompt: 'a lighthouse' }),
  speech: client => client.audio.speech.create({ model: 'tts-1', voice: 'alloy', input: 'hello' }),
}

test.each(Object.entries(OPENAI_CALLS))(
  "OpenAI's client raises its error for %s beyond the budget, and does not repeat it",
  async (_what, call) => {
    const error = await thrownBy(() => call(openai()))
    if (!(error instanceof OpenAI.RateLimitError)) throw new Error(`expected another error: ${error}`)
    expect([error.status, sent]).toEqual([429, 1])
    expect(error.message).toMatch(SAYS)
    expectReset(error.headers.get('retry-after'))
    expect(error.headers.get('x-ratelimit-limit-requests')).toBe('1')
    expect(error.headers.get('x-ratelimit-remaining-requests')).toBe('0')
    expect(error.headers.get('x-ratelimit-reset-requests')).toMatch(/^(\d+h)?(\d+m)?\d+s$/)
  },
)

test.each([false, true])(
  "Anthropic's client raises its error beyond the budget, and does not repeat it (streamed: %p)",
  async stream => {
    const body = { model: MODEL, max_tokens: 5, messages, stream }
    const error = await thrownBy(() => anthropic().messages.create(body))
    if (!(error instanceof Anthropic.RateLimitError)) throw new Error(`expected another error: ${error}`)
    expect([error.status, sent]).toEqual([429, 1])
    expect(error.error).toMatchObject({ type: 'error', error: { type: 'billing_error' } })
    expect(error.message).toMatch(SAYS)
    expectReset(error.headers.get('retry-after'))
    const read = (name: string) => error.headers.get(`anthropic-ratelimit-${name}`)
    expect([read('requests-limit'), read('requests-remaining')]).toEqual(['1', '0'])
    expect(read('unified-status')).toBe('rejected')
    expect(Date.parse(read('requests-reset') ?? '') / 1000).toBe(Number(read('unified-reset')))
    expectReset(String(Number(read('unified-reset')) - Date.now() / 1000))
  },
)

test.each(['generateContent', 'generateContentStream'] as const)(
  "Google's client raises its error beyond the budget from %s",
  async method => {
    const error = await thrownBy(() => google().models[method]({ model: MODEL, contents: 'hello' }))
    if (!(error instanceof ApiError)) throw new Error(`expected another error: ${error}`)
    expect(error.status).toBe(429)
    expect(error.message).toMatch(SAYS)
    expect(error.message).toMatch(/RESOURCE_EXHAUSTED.*PerDay.*RetryInfo/s)
  },
)

/** Bun's WebSocket accepts headers, which the DOM's declaration does not list, so the cast is safe. */
const HeaderWebSocket = WebSocket as unknown as new (url: string, options: Bun.WebSocketOptions) => WebSocket

test('a socket of responses says it in an event, with the headers that Codex reads', async () => {
  const events: { type: string; status?: number; error?: object; headers?: Record<string, string> }[] = []
  const url = `${site.gateway.url.replace('http', 'ws')}/v1/responses`
  const socket = new HeaderWebSocket(url, { headers: { authorization: `Bearer ${apiKey}` } })
  socket.onmessage = ({ data }) => events.push(JSON.parse(String(data)))
  socket.onopen = () => socket.send(JSON.stringify({ type: 'response.create', model: MODEL, input: 'hello' }))
  await waitUntil({ description: 'an event', timeoutMs: WAIT_MS }, () => events.length > 0)
  socket.close()
  expect(events[0]).toMatchObject({
    type: 'error',
    status: 429,
    error: { code: 'insufficient_quota', message: expect.stringMatching(SAYS) },
    headers: { 'x-ratelimit-limit-requests': '1', 'x-should-retry': 'false' },
  })
  expectReset(events[0]?.headers?.['retry-after'])
})

test('the handshake of a realtime conversation is rejected beyond the budget', async () => {
  const response = await fetch(`${site.gateway.url}/v1/realtime?model=gpt-4o-realtime-preview`, {
    headers: {
      authorization: `Bearer ${apiKey}`,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': btoa('0123456789abcdef'),
    },
  })
  expect(response.status).toBe(429)
  expect(response.headers.get('x-ratelimit-limit-requests')).toBe('1')
  expect(await response.text()).toContain('budget_exceeded')
})
