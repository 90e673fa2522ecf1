import { expect, test } from 'bun:test'
import { auditLedger } from '../ledger/audit.ts'
import { createPriceBook } from '../pricing/price-book.ts'
import { sendThrough, TestRelay } from '../testing/test-relay.ts'

const OPENAI = 1
const AZURE = 3
const ANTHROPIC = 14
const OPENROUTER = 20
const GEMINI = 24
const JINA = 38

/** A thousand tokens in, a hundred out. */
const chatOf = (model: string) => ({
  model,
  choices: [{ message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 },
})
const eventsOf = (model: string): readonly object[] => [
  { model, choices: [{ index: 0, delta: { content: 'Hi' } }] },
  { model, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { model, choices: [], usage: chatOf(model).usage },
]
const messageOf = (model: string, more: object = {}) => ({
  type: 'message',
  role: 'assistant',
  model,
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1_000, output_tokens: 100, ...more },
})
const messageEvents = (model: string, more: object = {}): readonly object[] => [
  { type: 'message_start', message: { ...messageOf(model), content: [], usage: { input_tokens: 1_000 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: messageOf(model, more).usage },
  { type: 'message_stop' },
]
const geminiOf = (modelVersion: string) => ({
  modelVersion,
  candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 1_000, candidatesTokenCount: 100, totalTokenCount: 1_100 },
})
const responseOf = (model: string) => ({
  object: 'response',
  status: 'completed',
  model,
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }],
  usage: { input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100 },
})

const MESSAGES = [{ role: 'user', content: 'hi' }]
const CHAT = ['/v1/chat/completions', { messages: MESSAGES }] as const
const CHAT_STREAM = ['/v1/chat/completions', { messages: MESSAGES, stream: true }] as const
const CLAUDE = ['/v1/messages', { messages: MESSAGES, max_tokens: 500 }] as const
const CLAUDE_STREAM = ['/v1/messages', { messages: MESSAGES, max_tokens: 500, stream: true }] as const

const CHEAP = 1_000 + 100
const DEAR = 50 * CHEAP
/** Claude Haiku 4.5: 1 and 5 dollars per million; Opus 4.8: 5 and 25. */
const HAIKU = (1_000 + 100 * 5) / 2
const OPUS = HAIKU * 5
const ADVISED = {
  type: 'advisor_message',
  model: 'claude-opus-4-8',
  input_tokens: 10_000,
  output_tokens: 1_000,
}
const COMPACTED = { type: 'compaction', input_tokens: 180_000, output_tokens: 3_500 }
const OWN_CALL = { type: 'message', model: 'claude-haiku-4-5', input_tokens: 1_000, output_tokens: 100 }
const FALLBACK = { ...OWN_CALL, type: 'fallback_message', model: 'claude-opus-4-8' }

type Upstream = object | readonly object[]
type Case = readonly [
  channel: readonly [type: number, model: string, mapping?: Readonly<Record<string, string>>],
  request: readonly [path: string, body: object],
  upstream: Upstream,
  charge: readonly [amount: number, served?: string],
]

const CASES: Readonly<Record<string, Case>> = {
  'another model, which has a price': [[OPENAI, 'cheap'], CHAT, chatOf('dear'), [DEAR, 'dear']],
  'another model in a stream': [[OPENAI, 'cheap'], CHAT_STREAM, eventsOf('dear'), [DEAR, 'dear']],
  'another model for an Anthropic client': [[OPENAI, 'cheap'], CLAUDE, chatOf('dear'), [DEAR, 'dear']],
  'another model of the Responses API': [
    [OPENAI, 'cheap'],
    ['/v1/responses', { input: 'hi' }],
    responseOf('dear'),
    [DEAR, 'dear'],
  ],
  'another model of Gemini': [
    [GEMINI, 'cheap'],
    ['/v1beta/models/cheap:generateContent', { contents: [{ parts: [{ text: 'hi' }] }] }],
    geminiOf('dear'),
    [DEAR, 'dear'],
  ],
  'another model for embeddings': [
    [OPENAI, 'cheap'],
    ['/v1/embeddings', { input: 'hi' }],
    {
      model: 'dear',
      data: [{ index: 0, embedding: [1] }],
      usage: { prompt_tokens: 1_000, total_tokens: 1_000 },
    },
    [50_000, 'dear'],
  ],
  'a cheaper model': [[OPENAI, 'dear'], CHAT, chatOf('cheap'), [CHEAP, 'cheap']],
  'a model with the name of its maker': [
    [OPENROUTER, 'gpt-4o-mini'],
    CHAT,
    chatOf('openai/gpt-4o'),
    [(1_000 * 2.5 + 100 * 10) / 2, 'openai/gpt-4o'],
  ],
  'a model without a price': [[OPENAI, 'cheap'], CHAT, chatOf('unheard-of'), [CHEAP, 'unheard-of']],
  'a model without a price, which may be the dearest that the request names': [
    [OPENAI, 'cheap,dear'],
    ['/v1/chat/completions', { messages: MESSAGES, model: 'cheap', models: ['dear'] }],
    chatOf('unheard-of'),
    [DEAR, 'unheard-of'],
  ],
  'a dated version of the requested model': [
    [OPENAI, 'gpt-4o'],
    CHAT,
    chatOf('gpt-4o-2024-05-13'),
    [(1_000 * 2.5 + 100 * 10) / 2],
  ],
  'the model that the channel maps to': [
    [OPENAI, 'cheap', { cheap: 'gpt-4o' }],
    CHAT,
    chatOf('gpt-4o-2024-08-06'),
    [CHEAP],
  ],
  'the requested model behind the name of a deployment': [
    [OPENAI, 'gpt-4o', { 'gpt-4o': 'prod-east' }],
    CHAT,
    chatOf('gpt-4o-2024-08-06'),
    [(1_000 * 2.5 + 100 * 10) / 2],
  ],
  'a deployment of Azure': [[AZURE, 'cheap'], CHAT, chatOf('gpt-4o-2024-08-06'), [CHEAP]],
  'a deployment of Azure that the request names beside its own': [
    [AZURE, 'cheap,dear'],
    ['/v1/chat/completions', { model: 'cheap', deployment: 'dear', messages: MESSAGES }],
    chatOf('dear'),
    [DEAR, 'dear'],
  ],
  "a known model behind the operator's own name and price": [
    [OPENAI, 'cheap'],
    CHAT,
    chatOf('gpt-4o'),
    [CHEAP],
  ],
  'no name': [[OPENAI, 'cheap'], CHAT, chatOf(''), [CHEAP]],
  'a name that is no text': [[OPENAI, 'cheap'], CHAT, { ...chatOf(''), model: 7 }, [CHEAP]],
  'a fallback of Claude': [
    [ANTHROPIC, 'claude-haiku-4-5'],
    CLAUDE,
    messageOf('claude-opus-4-8', { iterations: [FALLBACK] }),
    [OPUS, 'claude-opus-4-8'],
  ],
  'a fallback of Claude in a stream, which its usage names': [
    [ANTHROPIC, 'claude-haiku-4-5'],
    CLAUDE_STREAM,
    messageEvents('claude-haiku-4-5', { iterations: [FALLBACK] }),
    [OPUS, 'claude-opus-4-8'],
  ],
  'an advisor, beside the usage': [
    [ANTHROPIC, 'claude-haiku-4-5'],
    CLAUDE,
    messageOf('claude-haiku-4-5', { iterations: [OWN_CALL, ADVISED] }),
    [HAIKU + (10_000 * 5 + 1_000 * 25) / 2],
  ],
  'an advisor in a stream for a chat client': [
    [ANTHROPIC, 'claude-haiku-4-5'],
    CHAT_STREAM,
    messageEvents('claude-haiku-4-5', { iterations: [OWN_CALL, ADVISED] }),
    [HAIKU + (10_000 * 5 + 1_000 * 25) / 2],
  ],
  'a model without a price, beside an advisor, whose calls are counted apart': [
    [ANTHROPIC, 'claude-haiku-4-5,claude-opus-4-8'],
    [
      '/v1/messages',
      {
        ...CLAUDE[1],
        model: 'claude-haiku-4-5',
        tools: [{ type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-4-8' }],
      },
    ],
    messageOf('unheard-of', { iterations: [OWN_CALL, ADVISED] }),
    [HAIKU + (10_000 * 5 + 1_000 * 25) / 2, 'unheard-of'],
  ],
  'a compaction, beside the usage': [
    [ANTHROPIC, 'claude-haiku-4-5'],
    CLAUDE_STREAM,
    messageEvents('claude-haiku-4-5', { iterations: [COMPACTED, OWN_CALL] }),
    [HAIKU + (180_000 + 3_500 * 5) / 2],
  ],
  'a compaction with the cache': [
    [ANTHROPIC, 'claude-haiku-4-5'],
    CLAUDE,
    messageOf('claude-haiku-4-5', {
      iterations: [{ ...COMPACTED, cache_creation_input_tokens: 400, cache_read_input_tokens: 2_000 }],
    }),
    [HAIKU + (180_000 + 400 * 1.25 + 2_000 * 0.1 + 3_500 * 5) / 2],
  ],
}

const respondWith = (upstream: Upstream): Response =>
  Array.isArray(upstream)
    ? new Response(
        upstream.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
        {
          headers: { 'content-type': 'text/event-stream' },
        },
      )
    : Response.json(upstream)

test.each(Object.entries(CASES))('charges the model that served: %s', async (_, given) => {
  const [[type, model, mapping = {}], [path, body], upstream, [amount, served]] = given
  const prices = createPriceBook({ ModelRatio: { cheap: 1, dear: 50 }, GroupRatio: { default: 1 } })
  const relay = await TestRelay.open({
    prices,
    send: sendThrough(async () => respondWith(upstream)),
  })
  await relay.addChannel({ type, models: model, model_mapping: JSON.stringify(mapping) })
  const response = await relay.request(path, await relay.addToken(), { model, ...body })
  await response.text()
  expect(response.status).toBe(200)
  const { quota } = await relay.db.selectFrom('logs').select('quota').executeTakeFirstOrThrow()
  const receipt = await relay.db.selectFrom('receipts').select('body').executeTakeFirstOrThrow()
  const { drift } = await auditLedger(relay.db)
  await relay.close()
  expect({ quota, served: JSON.parse(receipt.body).model.served, drift }).toEqual({
    quota: Math.round(amount),
    served,
    drift: 0,
  })
})

const USED = { input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100 }
const PAINTED = { created: 1, data: [{ b64_json: 'AAAA' }] }
const formOf = (file: string) => () => {
  const form = new FormData()
  form.append('model', 'cheap')
  form.append('prompt', 'a cat')
  form.append(file, new Blob(['12345678'], { type: 'application/octet-stream' }), 'file')
  return form
}
const painting = (type: string) => (model: string) => [
  { type, b64_json: 'AAAA', model, usage: { ...USED, input_tokens_details: { text_tokens: 1_000 } } },
]
const inSession = (type: string) => (model: string) => [{ type, model, usage: USED }]

/** What a provider answers where the reply has no place of its own for the model. */
const OTHERS: Readonly<
  Record<string, readonly [type: number, path: string, body: object, respond: (model: string) => Upstream]>
> = {
  images: [OPENAI, '/v1/images/generations', { prompt: 'hi' }, model => ({ ...PAINTED, model, usage: USED })],
  'images without usage': [
    OPENAI,
    '/v1/images/generations',
    { prompt: 'hi' },
    model => ({ ...PAINTED, model }),
  ],
  'streamed images': [
    OPENAI,
    '/v1/images/generations',
    { prompt: 'hi', stream: true },
    painting('image_generation.completed'),
  ],
  'edits of images': [
    OPENAI,
    '/v1/images/edits',
    formOf('image'),
    model => ({ ...PAINTED, model, usage: USED }),
  ],
  'variations of images': [
    OPENAI,
    '/v1/images/variations',
    formOf('image'),
    model => ({ ...PAINTED, model, usage: USED }),
  ],
  transcriptions: [
    OPENAI,
    '/v1/audio/transcriptions',
    formOf('file'),
    model => ({ text: 'hi', model, usage: USED }),
  ],
  translations: [
    OPENAI,
    '/v1/audio/translations',
    formOf('file'),
    model => ({ text: 'hi', model, usage: USED }),
  ],
  'streamed speech': [
    OPENAI,
    '/v1/audio/speech',
    { input: 'hi', voice: 'alloy', stream_format: 'sse' },
    inSession('speech.audio.done'),
  ],
  moderations: [
    OPENAI,
    '/v1/moderations',
    { input: 'hi '.repeat(1_000) },
    model => ({ model, results: [{ flagged: false }] }),
  ],
  completions: [
    OPENAI,
    '/v1/completions',
    { prompt: 'hi' },
    model => ({ ...chatOf(model), choices: [{ text: 'Hi', finish_reason: 'stop' }] }),
  ],
  rankings: [
    JINA,
    '/v1/rerank',
    { query: 'hi', documents: ['a'] },
    model => ({ model, results: [{ index: 0, relevance_score: 1 }], usage: { total_tokens: 1_000 } }),
  ],
  'embeddings of Gemini': [
    GEMINI,
    '/v1/embeddings',
    { input: 'hi '.repeat(1_000) },
    modelVersion => ({ modelVersion, embeddings: [{ values: [1] }] }),
  ],
}

test.each(Object.entries(OTHERS))('charges the model that served also for %s', async (_, given) => {
  const [type, path, body, respond] = given
  const charge = async (served: string) => {
    const prices = createPriceBook({ ModelRatio: { cheap: 1, dear: 50 }, GroupRatio: { default: 1 } })
    const send = sendThrough(async () => respondWith(respond(served)))
    const relay = await TestRelay.open({ prices, send })
    await relay.addChannel({ type, models: 'cheap' })
    const key = await relay.addToken()
    const sent = typeof body === 'function' ? body() : { model: 'cheap', ...body }
    const response = await relay.request(path, key, sent)
    await response.text()
    expect(response.status).toBe(200)
    const { quota } = await relay.db.selectFrom('logs').select('quota').executeTakeFirstOrThrow()
    const receipt = await relay.db.selectFrom('receipts').select('body').executeTakeFirstOrThrow()
    const { drift } = await auditLedger(relay.db)
    await relay.close()
    return { quota, served: JSON.parse(receipt.body).model.served, drift }
  }
  const { quota } = await charge('cheap')
  expect(quota).toBeGreaterThan(0)
  expect(await charge('dear')).toEqual({ quota: 50 * quota, served: 'dear', drift: 0 })
  expect(await charge('unheard-of')).toEqual({ quota, served: 'unheard-of', drift: 0 })
})

/** A free model whose provider serves a priced one, by what token or wallet have left. */
test.each(
  [CHAT, CHAT_STREAM].flatMap(([path, body]) =>
    [0, 10, DEAR, 2 * DEAR].flatMap(left => [
      { path, body, token: left, wallet: 10 * DEAR },
      { path, body, token: undefined, wallet: left },
    ]),
  ),
)('charges for a free model no more than there is: %j', async ({ path, body, token, wallet }) => {
  const prices = createPriceBook({ ModelRatio: { gift: 0, dear: 50 }, GroupRatio: { default: 1 } })
  const relay = await TestRelay.open({
    prices,
    wallet,
    send: sendThrough(async () => respondWith('stream' in body ? eventsOf('dear') : chatOf('dear'))),
  })
  await relay.addChannel({ type: OPENAI, models: 'gift' })
  const key = await relay.addToken(
    token === undefined ? {} : { remain: token, columns: { unlimited_quota: 0 } },
  )
  const response = await relay.request(path, key, { model: 'gift', ...body })
  await response.text()
  const { quota } = await relay.db.selectFrom('logs').select('quota').executeTakeFirstOrThrow()
  const receipt = await relay.db.selectFrom('receipts').select('body').executeTakeFirstOrThrow()
  const { exact, lines, model } = JSON.parse(receipt.body)
  const { drift } = await auditLedger(relay.db)
  await relay.close()
  const left = token ?? wallet
  const paid = Math.min(left, DEAR)
  const unpaid = paid < DEAR ? [{ bucket: 'unpaid', amount: String(paid - DEAR) }] : []
  expect({ status: response.status, quota, drift, served: model.served, exact }).toEqual({
    status: 200,
    quota: paid,
    drift: 0,
    served: 'dear',
    exact: String(paid),
  })
  expect(lines.filter(({ bucket }: { bucket: string }) => bucket === 'unpaid')).toMatchObject(unpaid)
})
