import { afterEach, beforeEach, expect, test } from 'bun:test'
import { observeInto } from '#features/request-metrics/server/request-metrics.ts'
import { createSpanObserver } from '#features/trace-export/server/spans.ts'
import type { TraceSpan } from '#features/trace-export/server/trace-span.ts'
import { setClock } from '../../core/clock.ts'
import { createMetricsRegistry, type MetricsRegistry } from '../../core/telemetry/metrics.ts'
import { createLab } from '../../lab/open-lab.ts'
import { readExposition } from '../../testing/read-exposition.ts'
import { sendThrough, TestRelay } from '../../testing/test-relay.ts'
import { createTracing } from '../request/trace-context.ts'
import { followTasks } from '../tasks/follow-tasks.ts'
import { combineObservers } from './observer.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`
const SERVER = 'gen_ai_server_request_duration_seconds'
const CLIENT = 'gen_ai_client_operation_duration_seconds'
const PROMPT = 'a planted prompt'

let relay: TestRelay
let metrics: MetricsRegistry
let spans: TraceSpan[]
let key: string

/** The `traceparent` headers that providers received, by path. */
let traceparents: (readonly [path: string, traceparent: string | null])[]
let now = 1_750_000_000_000
let restore: () => void

async function openRelay(isPropagated: boolean) {
  const lab = createLab()
  relay = await TestRelay.open({
    observer: combineObservers([
      observeInto(metrics),
      createSpanObserver(exported => spans.push(...exported)),
    ]),
    tracing: createTracing({ sampling: { sampler: 'parentbased_always_on', ratio: 1 }, isPropagated }),
    send: sendThrough(request => {
      traceparents.push([new URL(request.url).pathname, request.headers.get('traceparent')])
      return lab.fetch(request)
    }),
  })
  await relay.addChannel({ name: 'draws', type: 5, models: 'mj_imagine' })
  await relay.addChannel({ name: 'sings', type: 36, models: 'suno_music' })
  key = await relay.addToken()
}

beforeEach(async () => {
  restore = setClock({ nowMs: () => now, elapsedMs: () => now })
  metrics = createMetricsRegistry()
  spans = []
  traceparents = []
  await openRelay(false)
})
afterEach(async () => {
  await relay.close()
  restore()
})

const call = async (path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>> =>
  Object(await (await relay.request(path, key, body, { traceparent: TRACEPARENT })).json())

const submitDrawing = (prompt = PROMPT) => call('/mj/submit/imagine', { prompt })

const pollTasks = async () => {
  now += 5000
  while ((await followTasks(relay.context, new AbortController().signal)) > 0);
}

/** Operation, provider, model, error type and count of each series of a histogram. */
const counts = (name: string) =>
  readExposition(metrics.render())
    .filter(sample => sample.name === `${name}_count`)
    .map(({ labels, value }) => [
      labels.gen_ai_operation_name,
      labels.gen_ai_provider_name,
      labels.gen_ai_request_model,
      labels.error_type,
      value,
    ])

test('records submissions, fetches and polls of drawings and songs by operation', async () => {
  const { result } = await submitDrawing()
  await call('/suno/submit/music', { gpt_description_prompt: PROMPT })
  await pollTasks()
  await call(`/mj/task/${result}/fetch`)
  const drawer = relay.context.registry.byType(5)
  const singer = relay.context.registry.byType(36)
  const [drawingProvider, musicProvider] = [drawer, singer].map(provider =>
    provider?.name.toLowerCase().replaceAll(' ', '_'),
  )
  expect(counts(SERVER)).toEqual([
    ['drawing', drawingProvider, 'mj_imagine', undefined, 1],
    ['music', musicProvider, 'suno_music', undefined, 1],
    ['drawing_fetch', '_OTHER', '_OTHER', undefined, 1],
  ])
  expect(counts(CLIENT)).toEqual([
    ['drawing', drawingProvider, 'mj_imagine', undefined, 1],
    ['music', musicProvider, 'suno_music', undefined, 1],
    ['drawing_fetch', drawingProvider, '_OTHER', undefined, 1],
    ['music_fetch', musicProvider, '_OTHER', undefined, 1],
  ])
})

test('records the errors of failed submissions and polls', async () => {
  await submitDrawing()
  await relay.db.updateTable('channels').set({ base_url: 'http://lab.test/lab/fault/status-500' }).execute()
  await relay.context.channels.refresh()
  await submitDrawing()
  now += 5000
  await followTasks(relay.context, new AbortController().signal)
  expect(counts(SERVER).map(([operation, , model, error]) => [operation, model, error])).toEqual([
    ['drawing', 'mj_imagine', undefined],
    ['drawing', 'mj_imagine', '500'],
  ])
  expect(counts(CLIENT).map(([operation, , model, error]) => [operation, model, error])).toEqual([
    ['drawing', 'mj_imagine', undefined],
    ['drawing', 'mj_imagine', '500'],
    ['drawing_fetch', '_OTHER', '500'],
  ])
})

test('continues the trace of the client for a submission and starts a new one for each poll', async () => {
  await submitDrawing()
  await pollTasks()
  const [request, submission, charge, poll] = spans
  expect(spans).toHaveLength(4)
  expect(request).toMatchObject({
    traceId: TRACE,
    name: 'drawing mj_imagine',
    kind: 'server',
    isError: false,
  })
  const row = await relay.db.selectFrom('tasks').select('request_id').executeTakeFirstOrThrow()
  expect(request?.attributes).toMatchObject({ 'tollgate.request_id': row.request_id })
  const child = { traceId: TRACE, parentId: request?.spanId }
  expect(submission).toMatchObject({ ...child, name: 'drawing mj_imagine', kind: 'client', isError: false })
  expect(submission?.attributes).toMatchObject({ 'tollgate.channel_name': 'draws' })
  expect(charge).toMatchObject({ ...child, name: 'charge', kind: 'internal' })
  expect(poll).toMatchObject({ parentId: undefined, name: 'drawing_fetch', kind: 'client', isError: false })
  expect(poll?.traceId).not.toBe(TRACE)
})

test('records the error type of rejected tasks and keeps prompts out of spans', async () => {
  await submitDrawing('')
  await call('/mj/task/none/fetch')
  await relay.request('/suno/submit/music', 'no-such-key', {})
  await submitDrawing(`${PROMPT} [lab: status-500]`)
  const requests = spans.filter(({ kind }) => kind === 'server')
  expect(requests.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
    ['refused', 'invalid_request'],
    ['refused', 'invalid_request'],
    ['refused', 'invalid_api_key'],
    ['drawing mj_imagine', expect.stringMatching(/^5\d\d$/)],
  ])
  for (const secret of ['planted', key, 'lab.test']) expect(JSON.stringify(spans)).not.toContain(secret)
})

test('propagates the trace of a submission to providers only when configured', async () => {
  await submitDrawing()
  await relay.close()
  await openRelay(true)
  spans = []
  await submitDrawing()
  const [[, first] = [], [, second] = []] = traceparents.filter(([path]) => path.endsWith('/submit/imagine'))
  expect(first).toBeNull()
  expect(second).toBe(`00-${TRACE}-${spans.find(({ kind }) => kind === 'client')?.spanId}-01`)
})
