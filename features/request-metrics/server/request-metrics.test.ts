import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createMetricsRegistry, type MetricsRegistry } from '#server/core/telemetry/metrics.ts'
import { readExposition, type Sample } from '#server/testing/read-exposition.ts'
import { TestRelay } from '#server/testing/test-relay.ts'
import { observeInto, SeriesSet } from './request-metrics.ts'

const CHAT = '/v1/chat/completions'
const messages = [{ role: 'user', content: 'hello' }]
const SERVER = 'gen_ai_server_request_duration_seconds'
const CLIENT = 'gen_ai_client_operation_duration_seconds'

let metrics: MetricsRegistry
let relay: TestRelay
let key: string
beforeEach(async () => {
  metrics = createMetricsRegistry()
  relay = await TestRelay.open({ observer: observeInto(metrics), options: { RetryTimes: 1 } })
  key = await relay.addToken()
})
afterEach(() => relay.close())

const requestChat = async (body: object) =>
  (await relay.request(CHAT, key, { model: 'lab', messages, ...body })).text()

const samples = (name: string): readonly Sample[] =>
  readExposition(metrics.render()).filter(sample => sample.name === name)

const counts = (name: string): readonly Readonly<Record<string, string | number>>[] =>
  samples(`${name}_count`).map(({ labels, value }) => ({ ...labels, count: value }))

const CHAT_LABELS = { gen_ai_operation_name: 'chat', gen_ai_provider_name: 'openai' }

test('records requests under the GenAI names with request and response model', async () => {
  await relay.addChannel({ model_mapping: '{"lab":"other"}' })
  await requestChat({})
  await requestChat({ stream: true })
  const labels = { ...CHAT_LABELS, gen_ai_request_model: 'lab', gen_ai_response_model: 'other' }
  expect(counts(SERVER)).toEqual([{ ...labels, count: 2 }])
  expect(counts('gen_ai_server_time_to_first_token_seconds')).toEqual([{ ...labels, count: 1 }])
  expect(counts('gen_ai_server_time_per_output_token_seconds')).toEqual([{ ...labels, count: 1 }])
  expect(counts('gen_ai_client_token_usage')).toEqual([
    { ...labels, gen_ai_token_type: 'input', count: 2 },
    { ...labels, gen_ai_token_type: 'output', count: 2 },
  ])
  expect(counts(CLIENT)).toEqual([{ ...CHAT_LABELS, gen_ai_request_model: 'other', count: 2 }])
  const row = await relay.db.selectFrom('logs').select('completion_tokens').executeTakeFirstOrThrow()
  const [, output] = samples('gen_ai_client_token_usage_sum')
  expect(output?.value).toBe(2 * row.completion_tokens)
})

test('records each upstream attempt and the error of a failed request', async () => {
  await relay.addChannel({ name: 'bad', priority: 5, model_mapping: '{"lab":"lab-status-503"}' })
  await relay.addChannel()
  await requestChat({})
  await relay.db.deleteFrom('channels').where('name', '=', 'lab').execute()
  await relay.context.channels.refresh()
  await requestChat({})
  const attempt = { ...CHAT_LABELS, gen_ai_request_model: 'lab-status-503', error_type: '503' }
  expect(counts(CLIENT)).toEqual([
    { ...attempt, count: 2 },
    { ...CHAT_LABELS, gen_ai_request_model: 'lab', count: 1 },
  ])
  expect(counts(SERVER)).toEqual([
    { ...CHAT_LABELS, gen_ai_request_model: 'lab', gen_ai_response_model: 'lab', count: 1 },
    { ...CHAT_LABELS, gen_ai_request_model: 'lab', error_type: '503', count: 1 },
  ])
})

test('adds no series for model names that clients make up', async () => {
  await relay.addChannel()
  for (let index = 0; index < 20; index += 1) await requestChat({ model: `made-up-${index}` })
  expect(counts(SERVER)).toEqual([
    {
      gen_ai_operation_name: 'chat',
      gen_ai_provider_name: '_OTHER',
      gen_ai_request_model: '_OTHER',
      error_type: 'model_not_found',
      count: 20,
    },
  ])
})

test('records a stream that the client aborted as client_left', async () => {
  await relay.addChannel()
  const response = await relay.request(CHAT, key, { model: 'lab', messages, stream: true })
  await response.body?.cancel()
  expect(counts(SERVER)).toMatchObject([{ error_type: 'client_left', count: 1 }])
})

test('records a broken response as a failed attempt, but not one that the client aborted', async () => {
  await relay.addChannel()
  await requestChat({ stream: true, messages: [{ role: 'user', content: '[lab: cut-3]' }] })
  const response = await relay.request(CHAT, key, { model: 'lab', messages, stream: true })
  await response.body?.cancel()
  const attempt = { ...CHAT_LABELS, gen_ai_request_model: 'lab' }
  expect(counts(CLIENT)).toEqual([
    { ...attempt, error_type: 'upstream_broke', count: 1 },
    { ...attempt, count: 1 },
  ])
})

test('merges models above the maximum of series without losing counts', () => {
  const series = new SeriesSet(() => ({ count: 0 }))
  const labels = { operation: 'chat', provider: undefined } as const
  for (let round = 0; round < 2; round += 1)
    for (let index = 0; index < 5000; index += 1)
      series.get({ ...labels, requestModel: `model-${index}`, responseModel: 'any' }).count += 1
  const all = series.all()
  expect(all).toHaveLength(201)
  expect(all.at(-1)).toEqual([
    { gen_ai_operation_name: 'chat', gen_ai_provider_name: '_OTHER', gen_ai_request_model: '_OTHER' },
    { count: 2 * 4800 },
  ])
  expect(all.reduce((sum, [, { count }]) => sum + count, 0)).toBe(10_000)
})
