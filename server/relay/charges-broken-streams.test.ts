import { afterEach, expect, test } from 'bun:test'
import { auditLedger } from '../ledger/audit.ts'
import { testPrices } from '../testing/test-prices.ts'
import { sendThrough, TestRelay } from '../testing/test-relay.ts'

const WALLET = 1_000_000
const PROMPT = 2_000
const COMPLETION = 500
const FULL_PRICE = PROMPT + COMPLETION * 2
const PRICES = testPrices({
  ModelRatio: { lab: 1, 'davinci-002': 1, 'gpt-image-1': 1 },
  CompletionRatio: { lab: 2, 'davinci-002': 2, 'gpt-image-1': 2 },
})

/** The events of a provider's stream. */
interface StreamFixture {
  /** Events before any output. */
  readonly start: readonly object[]
  readonly output: (text: string) => object
  /** An error in the provider's format. */
  readonly error: object
  /** The last events, with the total usage. */
  readonly end: readonly object[]
}

const error = { message: 'overloaded', code: 'overloaded', type: 'overloaded_error' }
const usage = { input_tokens: PROMPT, output_tokens: COMPLETION }
const openaiUsage = { prompt_tokens: PROMPT, completion_tokens: COMPLETION }
const TEXT = 'some words of an answer'

const chatFixture: StreamFixture = {
  start: [{ choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] }],
  output: content => ({ choices: [{ index: 0, delta: { content } }] }),
  error: { error },
  end: [{ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }, { choices: [], usage: openaiUsage }],
}
const completionFixture: StreamFixture = {
  start: [],
  output: text => ({ choices: [{ index: 0, text }] }),
  error: { error },
  end: [{ choices: [{ index: 0, text: '', finish_reason: 'stop' }] }, { choices: [], usage: openaiUsage }],
}
const responsesFixture: StreamFixture = {
  start: [{ type: 'response.created', response: { id: 'r', model: 'lab' } }],
  output: delta => ({ type: 'response.output_text.delta', delta }),
  error: { ...error, type: 'error' },
  end: [{ type: 'response.completed', response: { output: [], usage } }],
}
const anthropicFixture: StreamFixture = {
  start: [
    { type: 'message_start', message: { id: 'm', usage: { input_tokens: PROMPT, output_tokens: 3 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  ],
  output: text => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  error: { type: 'error', error },
  end: [
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { output_tokens: COMPLETION },
    },
    { type: 'message_stop' },
  ],
}
const geminiUsage = { promptTokenCount: PROMPT, candidatesTokenCount: COMPLETION }
const geminiFixture: StreamFixture = {
  start: [],
  output: text => ({
    candidates: [{ content: { parts: [{ text }] } }],
    usageMetadata: { ...geminiUsage, candidatesTokenCount: text.length / 4 },
  }),
  error: { error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } },
  end: [{ candidates: [{ content: { parts: [] }, finishReason: 'STOP' }], usageMetadata: geminiUsage }],
}
const imageFixture: StreamFixture = {
  start: [],
  output: () => ({ type: 'image_generation.partial_image', b64_json: 'AA' }),
  error: { error },
  end: [{ type: 'image_generation.completed', b64_json: 'AB', usage }],
}
const speechFixture: StreamFixture = {
  start: [],
  output: () => ({ type: 'speech.audio.delta', audio: 'AA' }),
  error: { ...error, type: 'error' },
  end: [{ type: 'speech.audio.done', usage }],
}
const transcriptFixture: StreamFixture = {
  start: [],
  output: delta => ({ type: 'transcript.text.delta', delta }),
  error: { error },
  end: [{ type: 'transcript.text.done', text: TEXT, usage }],
}

const chat = { model: 'lab', max_tokens: 500, messages: [{ role: 'user', content: 'hello' }], stream: true }
const gemini = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] }
const GEMINI_PATH = '/v1beta/models/lab:streamGenerateContent?alt=sse'
const audioForm = () => {
  const form = new FormData()
  form.append('model', 'lab')
  form.append('stream', 'true')
  form.append('file', new Blob(['12345678'], { type: 'audio/wav' }), 'file')
  return form
}
const imageForm = () => {
  const form = new FormData()
  form.append('model', 'gpt-image-1')
  form.append('quality', 'low')
  form.append('stream', 'true')
  form.append('prompt', 'a cat')
  form.append('image', new Blob(['12345678'], { type: 'image/png' }), 'file')
  return form
}

const PROVIDERS = {
  openai: { type: 1, fixture: chatFixture },
  anthropic: { type: 14, fixture: anthropicFixture },
  gemini: { type: 24, fixture: geminiFixture },
} as const

const isNativeResponses = ({ path, provider }: { path: string; provider: string }): boolean =>
  path === '/v1/responses' && provider === 'openai'

const CHAT_ROUTES = [
  { path: '/v1/chat/completions', body: chat },
  { path: '/v1/messages', body: chat },
  { path: '/v1/responses', body: { model: 'lab', input: 'hello', max_output_tokens: 500, stream: true } },
  { path: '/v1/completions', body: { model: 'lab', prompt: 'hello', max_tokens: 500, stream: true } },
  { path: GEMINI_PATH, body: gemini },
]
  .flatMap(route =>
    Object.entries(PROVIDERS).map(([provider, channel]) => ({ ...route, ...channel, provider })),
  )
  .map(route => (isNativeResponses(route) ? { ...route, fixture: responsesFixture } : route))

const imageBody = { model: 'gpt-image-1', prompt: 'a cat', quality: 'low', stream: true }
const speechBody = { model: 'lab', input: 'hello', voice: 'alloy', stream_format: 'sse' }
const otherRoutes = [
  { path: '/v1/images/generations', body: imageBody, fixture: imageFixture },
  { path: '/v1/images/edits', body: imageForm, fixture: imageFixture },
  { path: '/v1/audio/speech', body: speechBody, fixture: speechFixture },
  { path: '/v1/audio/transcriptions', body: audioForm, fixture: transcriptFixture },
  { path: '/v1/audio/translations', body: audioForm, fixture: transcriptFixture },
  {
    path: '/v1/completions',
    body: { model: 'davinci-002', prompt: 'hello', stream: true },
    fixture: completionFixture,
  },
].map(route => ({ ...route, provider: 'openai, native', type: 1 }))
const ROUTES = [...CHAT_ROUTES, ...otherRoutes]

const RESET = 'reset'
const STALL = 'stall'
type Step = object | string

const serialize = (step: Step): string =>
  typeof step === 'string' ? step : `data: ${JSON.stringify(step)}\n\n`

/** How a stream ends prematurely, who ends it, and whether that happens before any output. */
const BREAKS = [
  {
    name: 'is reset before its output',
    toSteps: ({ start }: StreamFixture) => [...start, RESET],
    isFree: true,
  },
  {
    name: 'ends before its output, after a keep-alive',
    toSteps: ({ start }: StreamFixture) => [': ping\n\n', ...start],
    isFree: true,
  },
  {
    name: 'sends an error before its output, split in two',
    toSteps: ({ start, error }: StreamFixture) => {
      const text = `: ping\n\n${serialize(error)}`
      return [...start, text.slice(0, 20), text.slice(20)]
    },
    isFree: true,
  },
  {
    name: 'is reset',
    toSteps: ({ start, output }: StreamFixture) => [...start, output(TEXT), RESET],
    isFree: false,
  },
  {
    name: 'ends without a final event',
    toSteps: ({ start, output }: StreamFixture) => [...start, output(TEXT)],
    isFree: false,
  },
  {
    name: 'sends an error',
    toSteps: ({ start, output, error }: StreamFixture) => [...start, output(TEXT), error],
    isFree: false,
  },
  {
    name: 'reports its usage and is reset',
    toSteps: ({ start, output, end }: StreamFixture) => [...start, output(TEXT), ...end, RESET],
    isFree: false,
  },
  {
    name: 'loses its client',
    toSteps: ({ start, output }: StreamFixture) => [...start, output(TEXT), STALL],
    isFree: false,
    hasClientLeft: true,
  },
]

const cases = ROUTES.flatMap(route =>
  BREAKS.map(({ name, toSteps, isFree, hasClientLeft }) => ({
    ...route,
    name: `${name}: ${route.path}, ${route.provider}`,
    steps: toSteps(route.fixture),
    isFree,
    hasClientLeft: hasClientLeft === true,
  })),
)

let opened: TestRelay | undefined
afterEach(() => opened?.close())

/** A stream that sends one step per read. */
function playSteps(steps: readonly Step[]): Response {
  const left = [...steps]
  const body = new ReadableStream<Uint8Array>(
    {
      pull(stream) {
        const step = left.shift()
        if (step === undefined) return stream.close()
        if (step === RESET) return stream.error(new Error('reset'))
        if (step === STALL) return new Promise(() => undefined)
        stream.enqueue(new TextEncoder().encode(serialize(step)))
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

async function readFirstPart(response: Response): Promise<void> {
  const reader = response.body?.getReader()
  await reader?.read()
  await reader?.cancel()
}

/** Sends a request to a provider that plays these steps. */
async function requestStream({ path, type, body, steps, wallet }: StreamCase) {
  const relay = await TestRelay.open({
    prices: PRICES,
    wallet,
    send: sendThrough(async () => playSteps(steps)),
  })
  opened = relay
  await relay.addChannel({ type, models: 'lab,davinci-002,gpt-image-1' })
  return relay.request(path, await relay.addToken(), typeof body === 'function' ? body() : body)
}

interface StreamCase {
  readonly path: string
  readonly type: number
  readonly body: object | (() => FormData)
  readonly steps: readonly Step[]
  readonly wallet: number
}

/** Expects a single log row that agrees with wallet and ledger. Returns the charge. */
async function expectCharge({ isFree, wallet }: { isFree: boolean; wallet: number }): Promise<number> {
  if (!opened) throw new Error('no request was sent')
  const { db } = opened
  const logs = await db.selectFrom('logs').select(['type', 'quota']).execute()
  const charged = logs[0]?.quota ?? Number.NaN
  expect(logs).toEqual([{ type: isFree ? 5 : 2, quota: charged }])
  expect(charged > 0).toBe(!isFree)
  const user = await db.selectFrom('users').select(['quota', 'used_quota', 'held_quota']).executeTakeFirst()
  expect(user).toEqual({ quota: wallet - charged, used_quota: charged, held_quota: 0 })
  expect((await auditLedger(db)).drift).toBe(0)
  return charged
}

test.each(cases)('charges what was delivered when a stream $name', async given => {
  const { isFree, hasClientLeft } = given
  const response = await requestStream({ ...given, wallet: WALLET })
  if (hasClientLeft) await readFirstPart(response)
  else await response.text()
  expect(await expectCharge({ isFree, wallet: WALLET })).toBeLessThanOrEqual(FULL_PRICE)
})

const SMALL_WALLET = 3_000
const EXPENSIVE_TEXT = 'word'.repeat(10_000)

const quotaCases = CHAT_ROUTES.flatMap(route => [
  { ...route, isFree: true, name: `at once: ${route.path}, ${route.provider}` },
  { ...route, isFree: false, name: `in the middle: ${route.path}, ${route.provider}` },
])

test.each(quotaCases)('charges what was delivered when the quota runs out $name', async given => {
  const { start, output } = given.fixture
  const firstSteps = given.isFree ? start : [...start, output(TEXT)]
  const response = await requestStream({
    ...given,
    steps: [...firstSteps, output(EXPENSIVE_TEXT)],
    wallet: SMALL_WALLET,
  })
  expect(await response.text()).toContain('the quota ran out')
  expect(await expectCharge({ isFree: given.isFree, wallet: SMALL_WALLET })).toBeLessThan(SMALL_WALLET)
})

const CODE = 'word'.repeat(100)
const claudeToolInput: readonly object[] = [
  {
    type: 'content_block_start',
    index: 1,
    content_block: { type: 'server_tool_use', id: 't', name: 'code_execution', input: {} },
  },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: CODE } },
]

test.each([
  { provider: 'anthropic', path: '/v1/messages', toolInput: claudeToolInput, tokens: 6 + 100 },
  { provider: 'anthropic', path: '/v1/chat/completions', toolInput: claudeToolInput, tokens: 6 },
  {
    provider: 'openai',
    path: '/v1/responses',
    toolInput: [{ type: 'response.code_interpreter_call_code.delta', delta: CODE }],
    tokens: 6 + 100,
  },
  {
    provider: 'openai',
    path: '/v1/responses',
    toolInput: [{ type: 'response.mcp_call_arguments.delta', delta: CODE }],
    tokens: 6 + 100,
  },
])('charges the input of a provider tool only to clients that receive it: %j', async given => {
  const route = CHAT_ROUTES.find(({ path, provider }) => path === given.path && provider === given.provider)
  if (!route) throw new Error('there is no such route')
  const { start, output } = route.fixture
  const response = await requestStream({
    ...route,
    steps: [...start, output(TEXT), ...given.toolInput, RESET],
    wallet: WALLET,
  })
  expect((await response.text()).includes(CODE)).toBe(given.tokens > 6)
  await expectCharge({ isFree: false, wallet: WALLET })
  const log = await opened?.db.selectFrom('logs').select('completion_tokens').executeTakeFirst()
  expect(log).toEqual({ completion_tokens: given.tokens })
})
