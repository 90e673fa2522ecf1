import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readExposition, type Sample } from '../../testing/read-exposition.ts'
import { TestRelay } from '../../testing/test-relay.ts'
import { openRelayMetrics, type RelayMetrics } from './metrics.ts'

const CHAT = '/v1/chat/completions'
const messages = [{ role: 'user', content: 'hello' }]
const SERVER = 'gen_ai_server_request_duration_seconds'
const CLIENT = 'gen_ai_client_operation_duration_seconds'

let metrics: RelayMetrics
let relay: TestRelay
let key: string
beforeEach(async () => {
  metrics = openRelayMetrics()
  relay = await TestRelay.open({ watch: metrics, settings: { retryTimes: 1 } })
  key = await relay.addToken()
})
afterEach(() => relay.close())

const ask = async (body: object) => (await relay.ask(CHAT, key, { model: 'lab', messages, ...body })).text()

const samples = (name: string): readonly Sample[] =>
  readExposition(metrics.metrics.render()).filter(sample => sample.name === name)

const counts = (name: string): readonly Readonly<Record<string, string | number>>[] =>
  samples(`${name}_count`).map(({ labels, value }) => ({ ...labels, count: value }))

const OF_CHAT = { gen_ai_operation_name: 'chat', gen_ai_provider_name: 'openai' }

test('requests stand under the names of the GenAI conventions, with what was asked for and what answered', async () => {
  await relay.addChannel({ model_mapping: '{"lab":"other"}' })
  await ask({})
  await ask({ stream: true })
  const labels = { ...OF_CHAT, gen_ai_request_model: 'lab', gen_ai_response_model: 'other' }
  expect(counts(SERVER)).toEqual([{ ...labels, count: 2 }])
  expect(counts('gen_ai_server_time_to_first_token_seconds')).toEqual([{ ...labels, count: 1 }])
  expect(counts('gen_ai_server_time_per_output_token_seconds')).toEqual([{ ...labels, count: 1 }])
  expect(counts('gen_ai_client_token_usage')).toEqual([
    { ...labels, gen_ai_token_type: 'input', count: 2 },
    { ...labels, gen_ai_token_type: 'output', count: 2 },
  ])
  expect(counts(CLIENT)).toEqual([{ ...OF_CHAT, gen_ai_request_model: 'other', count: 2 }])
  const row = await relay.db.selectFrom('logs').select('completion_tokens').executeTakeFirstOrThrow()
  const [, output] = samples('gen_ai_client_token_usage_sum')
  expect(output?.value).toBe(2 * row.completion_tokens)
})

test('answers are counted by status, and what waits for one is shown', () => {
  for (const status of [200, 429, 200]) {
    metrics.answers.begin()
    metrics.answers.end(status)
  }
  metrics.answers.begin()
  expect(samples('tollgate_relay_requests_total')).toMatchObject([
    { labels: { status: '200' }, value: 2 },
    { labels: { status: '429' }, value: 1 },
  ])
  expect(samples('tollgate_relay_requests_waiting')).toMatchObject([{ value: 1 }])
})

test('each try of a vendor is counted, and a request that none answered by what went wrong', async () => {
  await relay.addChannel({ name: 'bad', priority: 5, model_mapping: '{"lab":"lab-status-503"}' })
  await relay.addChannel()
  await ask({})
  await relay.db.deleteFrom('channels').where('name', '=', 'lab').execute()
  await relay.gateway.channels.refresh()
  await ask({})
  const tried = { ...OF_CHAT, gen_ai_request_model: 'lab-status-503', error_type: '503' }
  expect(counts(CLIENT)).toEqual([
    { ...tried, count: 2 },
    { ...OF_CHAT, gen_ai_request_model: 'lab', count: 1 },
  ])
  expect(counts(SERVER)).toEqual([
    { ...OF_CHAT, gen_ai_request_model: 'lab', gen_ai_response_model: 'lab', count: 1 },
    { ...OF_CHAT, gen_ai_request_model: 'lab', error_type: '503', count: 1 },
  ])
})

test('a client cannot make the page grow by the names that it sends', async () => {
  await relay.addChannel()
  for (let index = 0; index < 20; index += 1) await ask({ model: `made-up-${index}` })
  expect(counts(SERVER)).toEqual([
    {
      gen_ai_operation_name: 'chat',
      gen_ai_provider_name: '_OTHER',
      gen_ai_request_model: '_OTHER',
      error_type: 'no_available_channel',
      count: 20,
    },
  ])
})

test('a stream that the client left is counted as such', async () => {
  await relay.addChannel()
  const response = await relay.ask(CHAT, key, { model: 'lab', messages, stream: true })
  await response.body?.cancel()
  expect(counts(SERVER)).toMatchObject([{ error_type: 'client_left', count: 1 }])
})

test('a try whose answer broke off is a failed one of its vendor, and one whose client left is not', async () => {
  await relay.addChannel()
  await ask({ stream: true, messages: [{ role: 'user', content: '[lab: cut-3]' }] })
  const response = await relay.ask(CHAT, key, { model: 'lab', messages, stream: true })
  await response.body?.cancel()
  const tried = { ...OF_CHAT, gen_ai_request_model: 'lab' }
  expect(counts(CLIENT)).toEqual([
    { ...tried, error_type: 'upstream_broke', count: 1 },
    { ...tried, count: 1 },
  ])
})
