import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createLogger } from '#server/core/logger.ts'
import { createMetricsRegistry } from '#server/core/telemetry/metrics.ts'
import type { UserNotification } from '#server/notifications/send-notification.ts'
import { asObject, type JsonObject, parseJson } from '#server/provider-kit/json.ts'
import { readExposition } from '#server/testing/read-exposition.ts'
import { testPrices } from '#server/testing/test-prices.ts'
import { sendThrough, TestRelay } from '#server/testing/test-relay.ts'
import { createUsageAlarm } from './usage-alarm.ts'

const COUNTER = 'tollgate_unknown_usage_fields_total'
const MESSAGE = 'a provider reported usage in a field that is not charged'

let relay: TestRelay
let usage: JsonObject
let lines: JsonObject[]
let notices: string[]
let metrics = createMetricsRegistry()

beforeEach(async () => {
  lines = []
  notices = []
  metrics = createMetricsRegistry()
  relay = await TestRelay.open({
    prices: testPrices({ ModelRatio: { lab: 1, 'lab-2': 1 }, GroupRatio: { default: 1 } }),
    send: sendThrough(async request => reply(await request.text())),
  })
  const log = createLogger({
    level: 'warn',
    isPretty: false,
    write: line => lines.push(asObject(parseJson(line))),
  })
  const notify = ({ values }: UserNotification): void => void notices.push(values[2] ?? '')
  const settled = createUsageAlarm({ db: relay.db, log, metrics, notify })
  Object.assign(relay.context, { hooks: { ...relay.context.hooks, settled } })
})
afterEach(() => relay.close())

const TOTALS = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 }

function reply(body: string): Response {
  const reported = { ...TOTALS, ...usage }
  if (!body.includes('"stream":true'))
    return Response.json({
      choices: [{ message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
      usage: reported,
    })
  const events = [
    { choices: [{ index: 0, delta: { content: 'hi' }, finish_reason: 'stop' }] },
    { choices: [], usage: reported },
  ]
  return new Response(events.map(event => `data: ${JSON.stringify(event)}\n\n`).join(''), {
    headers: { 'content-type': 'text/event-stream' },
  })
}

/** Asks a channel, whole and as a stream. */
async function ask(model: string, reported: JsonObject): Promise<void> {
  usage = reported
  const key = await relay.addToken()
  for (const stream of [false, true]) {
    const body = { model, messages: [{ role: 'user', content: 'hi' }], stream }
    await (await relay.request('/v1/chat/completions', key, body)).text()
  }
}

const counted = (): Readonly<Record<string, number>> =>
  Object.fromEntries(
    readExposition(metrics.render())
      .filter(({ name }) => name === COUNTER)
      .map(({ labels, value }) => [labels.field ?? '', value]),
  )
const logged = (): readonly unknown[] =>
  lines
    .filter(({ message }) => message === MESSAGE)
    .map(({ channel_id, model, field }) => [channel_id, model, field])

test('counts every answer with a count that nobody knows, and logs each channel and field once', async () => {
  const first = await relay.addChannel({ models: 'lab' })
  const second = await relay.addChannel({ models: 'lab-2' })
  await ask('lab', { brand_new_tokens: 5 })
  await ask('lab', { brand_new_tokens: 7, prompt_tokens_details: { smell_tokens: 3 } })
  expect(counted()).toEqual({ brand_new_tokens: 4, 'prompt_tokens_details.smell_tokens': 2 })
  expect(logged()).toEqual([
    [first, 'lab', 'brand_new_tokens'],
    [first, 'lab', 'prompt_tokens_details.smell_tokens'],
  ])
  await ask('lab-2', { brand_new_tokens: 1 })
  expect(counted().brand_new_tokens).toBe(6)
  expect(logged().slice(2)).toEqual([[second, 'lab-2', 'brand_new_tokens']])
  expect(notices).toEqual([])
})

test.each<[string, JsonObject]>([
  [
    'known fields',
    { prompt_tokens_details: { cached_tokens: 1 }, completion_tokens_details: { reasoning_tokens: 1 } },
  ],
  ['zero', { brand_new_tokens: 0 }],
  ['text', { brand_new_note: 'hello' }],
  ['nothing', { brand_new_tokens: null }],
])('says nothing of %s', async (_, reported) => {
  await relay.addChannel()
  await ask('lab', reported)
  expect([counted(), logged()]).toEqual([{}, []])
})

test('gives the names beyond the first hundred, which providers choose, one label and one line', async () => {
  const id = await relay.addChannel()
  const fieldsFrom = (from: number) =>
    Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`count_${from + index}`, 1]))
  for (let from = 0; from < 120; from += 10) await ask('lab', fieldsFrom(from))
  const counts = counted()
  expect(Object.keys(counts)).toHaveLength(101)
  expect(counts.other).toBe(20 * 2)
  expect(logged().at(-1)).toEqual([id, 'lab', 'other'])
  expect(logged()).toHaveLength(101)
})
