import { afterEach, expect, test } from 'bun:test'
import { TestRelay } from '../testing/test-relay.ts'

const OPENAI = 1
const ANTHROPIC = 14
const GEMINI = 24
const LINGYI = 31

let opened: TestRelay | undefined
afterEach(() => opened?.close())

const hello = { role: 'user', content: 'hello' }
const CHAT = '/v1/chat/completions'
const chat = { model: 'lab', messages: [hello], n: 1, seed: null, temperature: 0.2, top_p: 0.5 }
const messages = { model: 'lab', max_tokens: 5_000, messages: [hello], temperature: 0.5 }
const stops = ['a', 'b', 'c', 'd', 'e', 'f']

test.each([
  [
    'sampling at a Claude that takes none',
    ANTHROPIC,
    'claude-opus-5',
    CHAT,
    chat,
    ['n → –', 'temperature → –', 'top_p → –'],
  ],
  ['one of two at an older Claude', ANTHROPIC, 'claude-opus-4-6', CHAT, chat, ['n → –', 'top_p → –']],
  [
    'sampling while Claude thinks',
    ANTHROPIC,
    'claude-sonnet-4-5',
    CHAT,
    { ...chat, n: undefined, reasoning_effort: 'low' },
    ['temperature → –', 'top_p → –'],
  ],
  [
    'a temperature',
    ANTHROPIC,
    'claude-opus-4-6',
    CHAT,
    { ...chat, n: undefined, top_p: undefined, temperature: 1.5 },
    ['temperature: 1.5 → 1'],
  ],
  [
    'a prediction at Gemini',
    GEMINI,
    'gemini-2.5-flash',
    CHAT,
    { ...chat, prediction: { type: 'content', content: 'x' } },
    ['prediction → –'],
  ],
  ['stops at Gemini', GEMINI, 'gemini-2.5-flash', CHAT, { ...chat, stop: stops }, ['stop: 6 → 5']],
  [
    'tokens beyond the limit of the model',
    OPENAI,
    'limited',
    '/v1/messages',
    messages,
    ['max_tokens: 5000 → 1000'],
  ],
  [
    'stops at OpenAI',
    OPENAI,
    'gpt-4o',
    '/v1/messages',
    { ...messages, stop_sequences: stops },
    ['stop: 6 → 4'],
  ],
  [
    'the role developer',
    LINGYI,
    'yi-large',
    CHAT,
    { ...chat, messages: [{ role: 'developer', content: 'Be brief' }, hello] },
    ['developer → system'],
  ],
  [
    'nothing at a model that takes all',
    OPENAI,
    'gpt-4o',
    CHAT,
    { ...chat, stop: stops, temperature: 1.9 },
    undefined,
  ],
  [
    'sampling of a native body at a mapped Claude that takes none',
    ANTHROPIC,
    'claude-opus-5',
    '/v1/messages',
    { ...messages, top_p: 0.5 },
    ['temperature → –', 'top_p → –'],
  ],
  [
    'effort and thinking of a native body at an older mapped Claude',
    ANTHROPIC,
    'claude-sonnet-4-5',
    '/v1/messages',
    {
      ...messages,
      temperature: undefined,
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high', format: null },
    },
    ['thinking.type: adaptive → enabled', 'output_config.effort → –'],
  ],
  [
    'tokens of a native body beyond the limit of a mapped model',
    ANTHROPIC,
    'limited',
    '/v1/messages',
    messages,
    ['max_tokens: 5000 → 1000'],
  ],
  [
    'tokens of a chat beyond the limit of the model',
    OPENAI,
    'limited',
    CHAT,
    { ...chat, max_completion_tokens: 5_000, stop: stops },
    ['max_completion_tokens: 5000 → 1000'],
  ],
  [
    'tokens of a response beyond the limit of a mapped model',
    OPENAI,
    'limited',
    '/v1/responses',
    { model: 'lab', input: 'hello', max_output_tokens: 5_000 },
    ['max_output_tokens: 5000 → 1000'],
  ],
  [
    'a field of completions',
    ANTHROPIC,
    'claude-opus-4-6',
    '/v1/completions',
    { model: 'lab', prompt: 'hello', seed: 7 },
    ['seed → –'],
  ],
] as const)(
  'the receipt states that a provider adjusts %s',
  async (_, ...[type, model, path, body, adjusted]) => {
    const relay = await TestRelay.open({ options: { ModelOutputLimit: { lab: 10_000, limited: 1_000 } } })
    opened = relay
    // A client's own word reaches the provider, which may reject it.
    await relay.addChannel({
      type,
      base_url: 'http://lab.test/lab/fault/lenient',
      model_mapping: JSON.stringify({ lab: model }),
    })
    for (const stream of [false, true]) {
      const response = await relay.request(path, await relay.addToken(), { ...body, stream })
      expect({ status: response.status, text: response.status === 200 ? '' : await response.text() }).toEqual(
        {
          status: 200,
          text: '',
        },
      )
      await response.text()
    }
    expect(await readAdjusted(relay)).toEqual([adjusted, adjusted])
  },
)

async function readAdjusted(relay: TestRelay): Promise<readonly unknown[]> {
  const receipts = await relay.db.selectFrom('receipts').select('body').execute()
  return receipts.map(({ body }) => JSON.parse(body).adjusted)
}

const limit = { maxOutputTokens: 5_000 }
test.each([
  ['generateContent', { generationConfig: limit }, 'generationConfig.maxOutputTokens: 5000 → 1000'],
  ['generateContent', { generation_config: limit }, 'generation_config.maxOutputTokens: 5000 → 1000'],
])('a client of Gemini, whose model is in the path of %s, too: %p', async (method, config, adjustment) => {
  opened = await TestRelay.open({ options: { ModelOutputLimit: { lab: 10_000, limited: 1_000 } } })
  await opened.addChannel({ type: GEMINI, model_mapping: '{"lab":"limited"}' })
  const body = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }], ...config }
  const response = await opened.request(`/v1beta/models/lab:${method}`, await opened.addToken(), body)
  expect({ status: response.status, text: await response.text() }).toMatchObject({ status: 200 })
  expect(await readAdjusted(opened)).toEqual([[adjustment]])
})

test.each([
  ['/v1/messages', ANTHROPIC, { ...messages, top_p: 0.5 }],
  [CHAT, OPENAI, { ...chat, stop: stops, temperature: 1.9 }],
  ['/v1/responses', OPENAI, { model: 'lab', input: 'hello', max_output_tokens: 5_000 }],
])(
  "the receipt states nothing of a native body for the client's own model at %s",
  async (path, type, body) => {
    opened = await TestRelay.open({ options: { ModelOutputLimit: { lab: 1_000 } } })
    await opened.addChannel({ type, base_url: 'http://lab.test/lab/fault/lenient' })
    const response = await opened.request(path, await opened.addToken(), body)
    expect(response.status).toBe(200)
    await response.text()
    expect(await readAdjusted(opened)).toEqual([undefined])
  },
)

test('a field that no provider documents is left out for a token with a list of models, as its receipt states', async () => {
  opened = await TestRelay.open()
  await opened.addChannel({ base_url: 'http://lab.test/lab/fault/lenient' })
  const limited = await opened.addToken({ columns: { model_limits_enabled: 1, model_limits: 'lab' } })
  const fields = { brand_new: ['x'], languages: ['en'], access_programs: { a: 'b' } }
  for (const key of [limited, await opened.addToken()]) {
    const response = await opened.request(CHAT, key, { model: 'lab', messages: [hello], ...fields })
    expect(response.status).toBe(200)
    await response.text()
  }
  expect(await readAdjusted(opened)).toEqual([['brand_new → –'], undefined])
})
