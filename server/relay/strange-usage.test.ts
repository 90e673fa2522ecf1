import { afterEach, describe, expect, test } from 'bun:test'
import { auditLedger } from '../ledger/audit.ts'
import type { JsonObject } from '../provider-kit/json.ts'
import { sendThrough, TestRelay } from '../testing/test-relay.ts'

/** A provider, its client's dialect, and how both write usage. */
interface ChatFormat {
  readonly name: string
  readonly type: number
  readonly path: string
  readonly body: JsonObject
  /** How a stream is asked for; by default by the body. */
  readonly streamPath?: string
  usage(input: unknown, output: unknown): JsonObject
  reply(usage: JsonObject): JsonObject
  /** A stream of text. */
  events(usage: JsonObject): readonly JsonObject[]
  /** A stream that begins a call. */
  readonly callStart: readonly JsonObject[]
  readonly brokenMark: string
}

const MESSAGES = [{ role: 'user', content: 'hi' }]
const MESSAGE = { id: 'm', type: 'message', role: 'assistant', content: [], usage: { input_tokens: 9 } }
const begin = (content_block: object) => ({ type: 'content_block_start', index: 0, content_block })
const part = (text: string) => ({ content: { role: 'model', parts: [{ text }] }, index: 0 })

const FORMATS: readonly ChatFormat[] = [
  {
    name: 'chat completions',
    type: 1,
    path: '/v1/chat/completions',
    body: { model: 'lab', messages: MESSAGES },
    usage: (prompt_tokens, completion_tokens) => ({ prompt_tokens, completion_tokens }),
    reply: usage => ({
      choices: [{ message: { role: 'assistant', content: 'abcd' }, finish_reason: 'stop' }],
      usage,
    }),
    events: usage => [
      { choices: [{ index: 0, delta: { content: 'abcd' }, finish_reason: 'stop' }] },
      { choices: [], usage },
    ],
    callStart: [
      {
        choices: [
          {
            index: 0,
            delta: {
              tool_calls: [
                { index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{"a' } },
              ],
            },
          },
        ],
      },
    ],
    brokenMark: '"error"',
  },
  {
    name: 'Responses',
    type: 1,
    path: '/v1/responses',
    body: { model: 'lab', input: 'hi' },
    usage: (input_tokens, output_tokens) => ({ input_tokens, output_tokens }),
    reply: usage => ({
      id: 'r',
      status: 'completed',
      output: [
        { id: 'i', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'abcd' }] },
      ],
      usage,
    }),
    events: usage => [
      { type: 'response.created', response: { id: 'r' } },
      { type: 'response.output_text.delta', delta: 'abcd' },
      { type: 'response.completed', response: { id: 'r', status: 'completed', output: [], usage } },
    ],
    callStart: [
      { type: 'response.created', response: { id: 'r' } },
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: { id: 'i', type: 'function_call', call_id: 'c', name: 'f', arguments: '' },
      },
      { type: 'response.function_call_arguments.delta', item_id: 'i', output_index: 0, delta: '{"a' },
    ],
    brokenMark: 'response.failed',
  },
  {
    name: 'Messages',
    type: 14,
    path: '/v1/messages',
    body: { model: 'lab', max_tokens: 50, messages: MESSAGES },
    usage: (input_tokens, output_tokens) => ({ input_tokens, output_tokens }),
    reply: usage => ({
      ...MESSAGE,
      content: [{ type: 'text', text: 'abcd' }],
      stop_reason: 'end_turn',
      usage,
    }),
    events: usage => [
      { type: 'message_start', message: { ...MESSAGE, usage: { ...usage, output_tokens: 1 } } },
      begin({ type: 'text', text: '' }),
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'abcd' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: { output_tokens: usage.output_tokens },
      },
      { type: 'message_stop' },
    ],
    callStart: [
      { type: 'message_start', message: MESSAGE },
      begin({ type: 'tool_use', id: 'c', name: 'f', input: {} }),
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"a' } },
    ],
    brokenMark: 'event: error',
  },
  {
    name: 'generateContent',
    type: 24,
    path: '/v1beta/models/lab:generateContent',
    streamPath: '/v1beta/models/lab:streamGenerateContent?alt=sse',
    body: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
    usage: (promptTokenCount, candidatesTokenCount) => ({ promptTokenCount, candidatesTokenCount }),
    reply: usageMetadata => ({ candidates: [{ ...part('abcd'), finishReason: 'STOP' }], usageMetadata }),
    events: usageMetadata => [{ candidates: [{ ...part('abcd'), finishReason: 'STOP' }], usageMetadata }],
    // Google writes a call as a whole.
    callStart: [
      {
        candidates: [
          { content: { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] }, index: 0 },
        ],
      },
    ],
    brokenMark: '"error"',
  },
  {
    name: 'interactions',
    type: 24,
    path: '/v1beta/interactions',
    body: { model: 'lab', input: 'hi' },
    usage: (total_input_tokens, total_output_tokens) => ({ total_input_tokens, total_output_tokens }),
    reply: usage => ({
      id: 'v1_a',
      status: 'completed',
      steps: [{ type: 'model_output', content: [{ type: 'text', text: 'abcd' }] }],
      usage,
    }),
    events: usage => [
      { event_type: 'interaction.created', interaction: { id: 'v1_a', status: 'in_progress' } },
      { event_type: 'step.delta', index: 0, delta: { type: 'text', text: 'abcd' } },
      { event_type: 'interaction.completed', interaction: { id: 'v1_a', status: 'completed', usage } },
    ],
    callStart: [
      { event_type: 'interaction.created', interaction: { id: 'v1_a', status: 'in_progress' } },
      {
        event_type: 'step.start',
        index: 0,
        step: { type: 'function_call', id: 'c', name: 'f', arguments: {} },
      },
      { event_type: 'step.delta', index: 0, delta: { type: 'arguments_delta', arguments: '{"a' } },
    ],
    brokenMark: '"event_type":"error"',
  },
]

const WALLET = 1_000_000
let relay: TestRelay
afterEach(() => relay.close())

const toEvents = (events: readonly JsonObject[]): Response =>
  new Response(
    events
      .map(
        event =>
          `${event.type === undefined ? '' : `event: ${event.type}\n`}data: ${JSON.stringify(event)}\n\n`,
      )
      .join(''),
    { headers: { 'content-type': 'text/event-stream' } },
  )

/** What the request was charged. The books are right in any case. */
async function ask(format: ChatFormat, reply: Response, isStream: boolean) {
  relay = await TestRelay.open({ wallet: WALLET, send: sendThrough(async () => reply) })
  await relay.addChannel({ type: format.type, base_url: 'http://provider.test' })
  const path = isStream ? (format.streamPath ?? format.path) : format.path
  const body = { ...format.body, ...(isStream && !format.streamPath && { stream: true }) }
  const response = await relay.request(path, await relay.addToken(), body)
  const text = await response.text()
  const log = await relay.db.selectFrom('logs').select('quota').executeTakeFirst()
  const charge = Number(log?.quota ?? 0)
  const user = await relay.db.selectFrom('users').select(['quota', 'held_quota']).executeTakeFirstOrThrow()
  expect([user.quota, user.held_quota]).toEqual([WALLET - charge, 0])
  expect((await auditLedger(relay.db)).drift).toBe(0)
  return { status: response.status, text, quota: charge }
}

/** A token read costs 1 unit, one written 2. The estimate of the answer is 1 token, of the question a few. */
const ESTIMATE_MAX = 30

const FIGURES: readonly (readonly [name: string, figures: readonly [unknown, unknown], isExact: boolean])[] =
  [
    ['fractions', [9.7, 3.2], true],
    ['negative figures', [-9, -3], false],
    ['a negative output', [9, -3], false],
    ['10^18 tokens', [10 ** 18, 3], false],
    ['10^18 tokens of output', [9, 10 ** 18], false],
    ['texts', ['9', '3'], false],
    ['nulls', [null, null], false],
    ['lists', [[9], [3]], false],
  ]

describe.each(FORMATS)('a provider of $name', format => {
  test.each(FIGURES)(
    'that reports %s is charged by what can be true',
    async (_, [input, output], isExact) => {
      for (const isStream of [false, true]) {
        const usage = format.usage(input, output)
        const response = isStream ? toEvents(format.events(usage)) : Response.json(format.reply(usage))
        const { status, quota } = await ask(format, response, isStream)
        expect([isStream, status]).toEqual([isStream, 200])
        expect(quota).toBeGreaterThan(0)
        if (isExact) expect([isStream, quota]).toEqual([isStream, 9 + 3 * 2])
        else expect(quota).toBeLessThan(ESTIMATE_MAX)
        await relay.close()
      }
    },
  )

  test('that reports a prompt of 0 is paid for an estimated one, marked as such', async () => {
    for (const isStream of [false, true]) {
      const usage = format.usage(0, 3)
      const response = isStream ? toEvents(format.events(usage)) : Response.json(format.reply(usage))
      const { quota } = await ask(format, response, isStream)
      const receipt = await relay.db.selectFrom('receipts').select('body').executeTakeFirstOrThrow()
      expect(quota).toBeGreaterThan(3 * 2)
      expect(quota).toBeLessThan(ESTIMATE_MAX)
      expect(JSON.parse(receipt.body)).toMatchObject({ provenance: 'estimated', usage: { output: 3 } })
      await relay.close()
    }
  })

  test('whose stream ends in the middle of a call is charged for what came, and the client hears of it', async () => {
    const { text, quota } = await ask(format, toEvents(format.callStart), true)
    expect(text).toContain(format.brokenMark)
    expect(quota).toBeGreaterThan(0)
    expect(quota).toBeLessThan(100)
  })

  test('is not asked where a body names a thousand models', async () => {
    const models = Array.from({ length: 1_000 }, (_, index) => `m${index}`)
    const { status, text, quota } = await ask(
      { ...format, body: { ...format.body, fallbacks: models } },
      Response.json(format.reply(format.usage(9, 3))),
      false,
    )
    expect([status, quota]).toEqual([400, 0])
    expect(text).toContain('at most 16 other models')
  })
})

const DETAILS = [
  { modality: 'TEXT', tokenCount: 4 },
  { modality: 'SMELL', tokenCount: 5 },
]

test.each([
  ['generateContent', { promptTokenCount: 9, candidatesTokenCount: 3, promptTokensDetails: DETAILS }],
  [
    'interactions',
    {
      total_input_tokens: 9,
      total_output_tokens: 3,
      input_tokens_by_modality: [
        { modality: 'text', tokens: 4 },
        { modality: 'smell', tokens: 5 },
      ],
    },
  ],
  [
    'chat completions',
    { prompt_tokens: 9, completion_tokens: 3, prompt_tokens_details: { smell_tokens: 5 } },
  ],
  ['Responses', { input_tokens: 9, output_tokens: 3, input_tokens_details: { smell_tokens: 5 } }],
])('charges a modality that nobody knows at the price of text: %s', async (name, usage) => {
  const format = FORMATS.find(one => one.name === name)
  if (!format) throw new Error('there is no such format')
  const { quota } = await ask(format, Response.json(format.reply(usage)), false)
  expect(quota).toBe(9 + 3 * 2)
})
