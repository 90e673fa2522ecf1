import { afterEach, expect, test } from 'bun:test'
import { auditLedger } from '../ledger/audit.ts'
import { sendThrough, TestRelay } from '../testing/test-relay.ts'

const WALLET = 1_000_000
const PROMPT = 2_000
const COMPLETION = 500
const FULL_PRICE = PROMPT + COMPLETION * 2
const PRICES = {
  modelRatio: { lab: 1, 'davinci-002': 1, 'gpt-image-1': 1 },
  modelPrice: {},
  completionRatio: { lab: 2, 'davinci-002': 2, 'gpt-image-1': 2 },
  cacheRatio: {},
  createCacheRatio: {},
  groupRatio: { default: 1 },
}

/** What a vendor sends, event by event. */
interface Script {
  /** Before any output. */
  readonly start: readonly object[]
  readonly output: (text: string) => object
  /** An error in its words. */
  readonly error: object
  /** The last events, with the whole usage. */
  readonly end: readonly object[]
}

const failed = { message: 'overloaded', code: 'overloaded', type: 'overloaded_error' }
const usage = { input_tokens: PROMPT, output_tokens: COMPLETION }
const openaiUsage = { prompt_tokens: PROMPT, completion_tokens: COMPLETION }
const TEXT = 'some words of an answer'

const chatScript: Script = {
  start: [{ choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] }],
  output: content => ({ choices: [{ index: 0, delta: { content } }] }),
  error: { error: failed },
  end: [{ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }, { choices: [], usage: openaiUsage }],
}
const completionScript: Script = {
  start: [],
  output: text => ({ choices: [{ index: 0, text }] }),
  error: { error: failed },
  end: [{ choices: [{ index: 0, text: '', finish_reason: 'stop' }] }, { choices: [], usage: openaiUsage }],
}
const responsesScript: Script = {
  start: [{ type: 'response.created', response: { id: 'r', model: 'lab' } }],
  output: delta => ({ type: 'response.output_text.delta', delta }),
  error: { ...failed, type: 'error' },
  end: [{ type: 'response.completed', response: { output: [], usage } }],
}
const anthropicScript: Script = {
  start: [
    { type: 'message_start', message: { id: 'm', usage: { input_tokens: PROMPT, output_tokens: 3 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  ],
  output: text => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  error: { type: 'error', error: failed },
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
const geminiScript: Script = {
  start: [],
  output: text => ({
    candidates: [{ content: { parts: [{ text }] } }],
    usageMetadata: { ...geminiUsage, candidatesTokenCount: text.length / 4 },
  }),
  error: { error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } },
  end: [{ candidates: [{ content: { parts: [] }, finishReason: 'STOP' }], usageMetadata: geminiUsage }],
}
const pictureScript: Script = {
  start: [],
  output: () => ({ type: 'image_generation.partial_image', b64_json: 'AA' }),
  error: { error: failed },
  end: [{ type: 'image_generation.completed', b64_json: 'AB', usage }],
}
const speechScript: Script = {
  start: [],
  output: () => ({ type: 'speech.audio.delta', audio: 'AA' }),
  error: { ...failed, type: 'error' },
  end: [{ type: 'speech.audio.done', usage }],
}
const transcriptScript: Script = {
  start: [],
  output: delta => ({ type: 'transcript.text.delta', delta }),
  error: { error: failed },
  end: [{ type: 'transcript.text.done', text: TEXT, usage }],
}

const chat = { model: 'lab', max_tokens: 500, messages: [{ role: 'user', content: 'hello' }], stream: true }
const gemini = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] }
const GEMINI_PATH = '/v1beta/models/lab:streamGenerateContent?alt=sse'
const sound = () => {
  const form = new FormData()
  form.append('model', 'lab')
  form.append('stream', 'true')
  form.append('file', new Blob(['12345678'], { type: 'audio/wav' }), 'file')
  return form
}
const pictures = () => {
  const form = new FormData()
  form.append('model', 'gpt-image-1')
  form.append('quality', 'low')
  form.append('stream', 'true')
  form.append('prompt', 'a cat')
  form.append('image', new Blob(['12345678'], { type: 'image/png' }), 'file')
  return form
}

const VENDORS = {
  openai: { type: 1, script: chatScript },
  anthropic: { type: 14, script: anthropicScript },
  gemini: { type: 24, script: geminiScript },
} as const

const isOwnResponses = ({ path, vendor }: { path: string; vendor: string }): boolean =>
  path === '/v1/responses' && vendor === 'openai'

const CHATS = [
  { path: '/v1/chat/completions', body: chat },
  { path: '/v1/messages', body: chat },
  { path: '/v1/responses', body: { model: 'lab', input: 'hello', max_output_tokens: 500, stream: true } },
  { path: '/v1/completions', body: { model: 'lab', prompt: 'hello', max_tokens: 500, stream: true } },
  { path: GEMINI_PATH, body: gemini },
]
  .flatMap(way => Object.entries(VENDORS).map(([vendor, asked]) => ({ ...way, ...asked, vendor })))
  .map(way => (isOwnResponses(way) ? { ...way, script: responsesScript } : way))

const picture = { model: 'gpt-image-1', prompt: 'a cat', quality: 'low', stream: true }
const spoken = { model: 'lab', input: 'hello', voice: 'alloy', stream_format: 'sse' }
const others = [
  { path: '/v1/images/generations', body: picture, script: pictureScript },
  { path: '/v1/images/edits', body: pictures, script: pictureScript },
  { path: '/v1/audio/speech', body: spoken, script: speechScript },
  { path: '/v1/audio/transcriptions', body: sound, script: transcriptScript },
  { path: '/v1/audio/translations', body: sound, script: transcriptScript },
  {
    path: '/v1/completions',
    body: { model: 'davinci-002', prompt: 'hello', stream: true },
    script: completionScript,
  },
].map(way => ({ ...way, vendor: 'openai, its own', type: 1 }))
const WAYS = [...CHATS, ...others]

const RESET = 'reset'
const SILENCE = 'silence'
type Step = object | string

const written = (step: Step): string =>
  typeof step === 'string' ? step : `data: ${JSON.stringify(step)}\n\n`

/** How an answer comes to a bad end, whether the client reads it to there, and whether something came out. */
const BREAKS = [
  { name: 'is reset before its output', stepsOf: ({ start }: Script) => [...start, RESET], isFree: true },
  {
    name: 'ends before its output, after a keep-alive',
    stepsOf: ({ start }: Script) => [': ping\n\n', ...start],
    isFree: true,
  },
  {
    name: 'says an error before its output, cut through the middle',
    stepsOf: ({ start, error }: Script) => {
      const text = `: ping\n\n${written(error)}`
      return [...start, text.slice(0, 20), text.slice(20)]
    },
    isFree: true,
  },
  {
    name: 'is reset',
    stepsOf: ({ start, output }: Script) => [...start, output(TEXT), RESET],
    isFree: false,
  },
  {
    name: 'ends without its end',
    stepsOf: ({ start, output }: Script) => [...start, output(TEXT)],
    isFree: false,
  },
  {
    name: 'says an error',
    stepsOf: ({ start, output, error }: Script) => [...start, output(TEXT), error],
    isFree: false,
  },
  {
    name: 'says what was used and is reset',
    stepsOf: ({ start, output, end }: Script) => [...start, output(TEXT), ...end, RESET],
    isFree: false,
  },
  {
    name: 'is left by its client',
    stepsOf: ({ start, output }: Script) => [...start, output(TEXT), SILENCE],
    isFree: false,
    isLeft: true,
  },
]

const cases = WAYS.flatMap(way =>
  BREAKS.map(({ name, stepsOf, isFree, isLeft }) => ({
    ...way,
    name: `${way.path}, ${way.vendor}, ${name}`,
    steps: stepsOf(way.script),
    isFree,
    isLeft: isLeft === true,
  })),
)

let opened: TestRelay | undefined
afterEach(() => opened?.close())

/** A vendor that sends one step whenever somebody reads. */
function playing(steps: readonly Step[]): Response {
  const left = [...steps]
  const body = new ReadableStream<Uint8Array>(
    {
      pull(stream) {
        const step = left.shift()
        if (step === undefined) return stream.close()
        if (step === RESET) return stream.error(new Error('reset'))
        if (step === SILENCE) return new Promise(() => undefined)
        stream.enqueue(new TextEncoder().encode(written(step)))
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

async function readUntilOutput(answer: Response): Promise<void> {
  const reader = answer.body?.getReader()
  await reader?.read()
  await reader?.cancel()
}

/** A relay whose vendor plays these steps, and the client's answer. */
async function askFor({ path, type, body, steps, wallet }: Asked) {
  const relay = await TestRelay.open({
    settings: { prices: PRICES },
    wallet,
    send: sendThrough(async () => playing(steps)),
  })
  opened = relay
  await relay.addChannel({ type, models: 'lab,davinci-002,gpt-image-1' })
  return relay.request(path, await relay.addToken(), typeof body === 'function' ? body() : body)
}

interface Asked {
  readonly path: string
  readonly type: number
  readonly body: object | (() => FormData)
  readonly steps: readonly Step[]
  readonly wallet: number
}

/** One log row, which says what wallet and books say. Gives the charge. */
async function expectCharge({ isFree, wallet }: { isFree: boolean; wallet: number }): Promise<number> {
  if (!opened) throw new Error('nothing was asked')
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

test.each(cases)('an answer that breaks off is charged for what came: $name', async given => {
  const { isFree, isLeft } = given
  const answer = await askFor({ ...given, wallet: WALLET })
  if (isLeft) await readUntilOutput(answer)
  else await answer.text()
  expect(await expectCharge({ isFree, wallet: WALLET })).toBeLessThanOrEqual(FULL_PRICE)
})

const SMALL_WALLET = 3_000
const DEAR_TEXT = 'word'.repeat(10_000)

const spentCases = CHATS.flatMap(way => [
  { ...way, isFree: true, name: `at once: ${way.path}, ${way.vendor}` },
  { ...way, isFree: false, name: `in the middle: ${way.path}, ${way.vendor}` },
])

test.each(spentCases)('a stream that nobody can pay for on is charged for what came, $name', async given => {
  const { start, output } = given.script
  const begun = given.isFree ? start : [...start, output(TEXT)]
  const answer = await askFor({ ...given, steps: [...begun, output(DEAR_TEXT)], wallet: SMALL_WALLET })
  expect(await answer.text()).toContain('the quota is used up')
  expect(await expectCharge({ isFree: given.isFree, wallet: SMALL_WALLET })).toBeLessThan(SMALL_WALLET)
})

const CODE = 'word'.repeat(100)
const ofClaude: readonly object[] = [
  {
    type: 'content_block_start',
    index: 1,
    content_block: { type: 'server_tool_use', id: 't', name: 'code_execution', input: {} },
  },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: CODE } },
]

test.each([
  { vendor: 'anthropic', path: '/v1/messages', told: ofClaude, tokens: 6 + 100 },
  { vendor: 'anthropic', path: '/v1/chat/completions', told: ofClaude, tokens: 6 },
  {
    vendor: 'openai',
    path: '/v1/responses',
    told: [{ type: 'response.code_interpreter_call_code.delta', delta: CODE }],
    tokens: 6 + 100,
  },
  {
    vendor: 'openai',
    path: '/v1/responses',
    told: [{ type: 'response.mcp_call_arguments.delta', delta: CODE }],
    tokens: 6 + 100,
  },
])('what a tool of the vendor is told is charged to whoever gets to see it: %j', async given => {
  const way = CHATS.find(({ path, vendor }) => path === given.path && vendor === given.vendor)
  if (!way) throw new Error('there is no such way')
  const { start, output } = way.script
  const answer = await askFor({
    ...way,
    steps: [...start, output(TEXT), ...given.told, RESET],
    wallet: WALLET,
  })
  expect((await answer.text()).includes(CODE)).toBe(given.tokens > 6)
  await expectCharge({ isFree: false, wallet: WALLET })
  const log = await opened?.db.selectFrom('logs').select('completion_tokens').executeTakeFirst()
  expect(log).toEqual({ completion_tokens: given.tokens })
})
