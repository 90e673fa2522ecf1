import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createLab } from '#server/lab/open-lab.ts'
import { createTracing, type Sampling } from '#server/relay/request/trace-context.ts'
import { sendThrough, TestRelay } from '#server/testing/test-relay.ts'
import { createSpanObserver } from './spans.ts'
import type { TraceSpan } from './trace-span.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`
const messages = [{ role: 'user', content: 'a planted prompt' }]

let spans: TraceSpan[]

/** The `traceparent` headers that providers received. */
let traceparents: (string | null)[]
let relay: TestRelay
let key: string

async function openRelay(
  { sampler = 'parentbased_always_on', ratio = 1 }: Partial<Sampling> = {},
  isPropagated = false,
) {
  const lab = createLab()
  relay = await TestRelay.open({
    observer: createSpanObserver(exported => spans.push(...exported)),
    tracing: createTracing({ sampling: { sampler, ratio }, isPropagated }),
    options: { RetryTimes: 1 },
    send: sendThrough(request => {
      traceparents.push(request.headers.get('traceparent'))
      return lab.fetch(request)
    }),
  })
  key = await relay.addToken()
  await relay.addChannel()
}
beforeEach(() => {
  spans = []
  traceparents = []
})
afterEach(() => relay.close())

const requestChat = async (
  body: object = {},
  headers: Record<string, string> = { traceparent: TRACEPARENT },
) => (await relay.request('/v1/chat/completions', key, { model: 'lab', messages, ...body }, headers)).text()

test('continues the trace of the client with spans for each attempt and the charge', async () => {
  await openRelay()
  await relay.addChannel({ name: 'bad', priority: 5, model_mapping: '{"lab":"lab-status-503"}' })
  await requestChat({ stream: true })
  const [request, bad, good, charge] = spans
  expect(spans).toHaveLength(4)
  expect(request).toMatchObject({
    traceId: TRACE,
    parentId: PARENT,
    name: 'chat lab',
    kind: 'server',
    isError: false,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'lab',
      'gen_ai.response.model': 'lab',
      'tollgate.is_stream': 'true',
    },
  })
  const row = await relay.db.selectFrom('logs').selectAll().executeTakeFirstOrThrow()
  expect(request?.attributes).toMatchObject({
    'tollgate.request_id': row.request_id,
    'gen_ai.usage.input_tokens': row.prompt_tokens,
    'gen_ai.usage.output_tokens': row.completion_tokens,
  })
  const child = { traceId: TRACE, parentId: request?.spanId }
  expect(bad).toMatchObject({ ...child, kind: 'client', name: 'chat lab-status-503', isError: true })
  expect(bad?.attributes).toMatchObject({ 'error.type': '503', 'tollgate.channel_name': 'bad' })
  expect(good).toMatchObject({ ...child, kind: 'client', name: 'chat lab', isError: false })
  expect(charge).toMatchObject({ ...child, kind: 'internal', name: 'charge' })
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(4)
})

test('keeps child spans within the span of their request, in order', async () => {
  await openRelay()
  await requestChat()
  const [request, good, charge] = spans
  if (!request || !good || !charge) throw new Error(`found ${spans.length} spans, needed three`)
  expect(good.startedMs).toBeGreaterThanOrEqual(request.startedMs)
  expect(good.endedMs).toBe(charge.startedMs)
  expect(charge.endedMs).toBe(request.endedMs)
  expect(Math.abs(request.endedMs - Date.now())).toBeLessThan(60_000)
})

test('keeps content, keys and provider messages out of spans', async () => {
  await openRelay()
  await requestChat()
  await requestChat({ model: 'unknown' })
  await requestChat({
    model: 'lab',
    messages: [{ role: 'user', content: '[lab:status-401] a planted prompt' }],
  })
  const text = JSON.stringify(spans)
  expect(spans.length).toBeGreaterThan(4)
  for (const secret of ['planted', key, 'lab.test', 'Bearer']) expect(text).not.toContain(secret)
})

test('records the error type of failed and rejected requests', async () => {
  await openRelay()
  await requestChat({ model: 'made-up' })
  await requestChat({ messages: [{ role: 'user', content: '[lab:status-429]' }] })
  await relay.request('/v1/chat/completions', 'no-such-key', { model: 'lab', messages })
  const requests = spans.filter(({ kind }) => kind === 'server')
  expect(requests.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
    ['chat made-up', 'model_not_found'],
    ['chat lab', '429'],
    ['refused', 'invalid_api_key'],
  ])
  expect(requests.every(({ isError }) => isError)).toBe(true)
})

test('marks a broken response as an error on the attempt and its request', async () => {
  await openRelay()
  await requestChat({ stream: true, messages: [{ role: 'user', content: '[lab: cut-3]' }] })
  const [request, broken, charge] = spans
  const error = { isError: true, attributes: { 'error.type': 'upstream_broke' } }
  expect(request).toMatchObject(error)
  expect(broken).toMatchObject({ ...error, kind: 'client' })
  expect(charge).toMatchObject({ name: 'charge', isError: false })
})

test('propagates the trace to providers only when configured', async () => {
  await openRelay()
  await requestChat()
  await relay.close()
  await openRelay({}, true)
  spans = []
  await requestChat()
  const [first, second] = traceparents
  expect(first).toBeNull()
  expect(second).toBe(`00-${TRACE}-${spans.find(({ kind }) => kind === 'client')?.spanId}-01`)
})

test.each([
  ['parentbased_always_on', `00-${TRACE}-${PARENT}-00`, 0],
  ['parentbased_always_off', TRACEPARENT, 3],
  ['parentbased_always_off', '', 0],
  ['always_off', TRACEPARENT, 0],
  ['always_on', `00-${TRACE}-${PARENT}-00`, 3],
  ['traceidratio', TRACEPARENT, 0],
  ['parentbased_traceidratio', TRACEPARENT, 3],
  ['parentbased_traceidratio', '', 0],
] as const)('samples with %s for traceparent %p: %p spans', async (sampler, traceparent, spanCount) => {
  await openRelay({ sampler, ratio: 0 })
  await requestChat({}, traceparent ? { traceparent } : {})
  expect(spans).toHaveLength(spanCount)
})

test.each([
  ['', false],
  ['nonsense', false],
  [`00-${'0'.repeat(32)}-${PARENT}-01`, false],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, false],
  [`ff-${TRACE}-${PARENT}-01`, false],
  [`00-${TRACE}-${PARENT}-01-more`, false],
  [`01-${TRACE}-${PARENT}-01-more`, true],
  [`00-${TRACE.toUpperCase()}-${PARENT}-01`, false],
])('continues the traceparent %p: %p', async (traceparent, isContinued) => {
  await openRelay()
  await requestChat({}, { traceparent })
  expect(spans[0]?.traceId === TRACE).toBe(isContinued)
  expect(spans[0]?.traceId).toMatch(/^[0-9a-f]{32}$/)
})
