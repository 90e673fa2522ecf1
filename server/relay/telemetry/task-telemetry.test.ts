import { afterEach, beforeEach, expect, test } from 'bun:test'
import { setClock } from '../../core/clock.ts'
import type { TraceSpan } from '../../core/trace-span.ts'
import { openLab } from '../../lab/open-lab.ts'
import { readExposition } from '../../testing/read-exposition.ts'
import { sendThrough, TestRelay } from '../../testing/test-relay.ts'
import { followTasks } from '../tasks/follow-tasks.ts'
import { createRelayMetrics, type RelayMetrics } from './metrics.ts'
import { combineObservers } from './observer.ts'
import { createSpanObserver } from './spans.ts'
import { createTracing } from '../request/trace-context.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`
const SERVER = 'gen_ai_server_request_duration_seconds'
const CLIENT = 'gen_ai_client_operation_duration_seconds'
const PROMPT = 'a planted prompt'

let relay: TestRelay
let metrics: RelayMetrics
let spans: TraceSpan[]
let key: string
/** What vendors were told of the trace, by path. */
let told: (readonly [path: string, traceparent: string | null])[]
let now = 1_750_000_000_000
let restore: () => void

async function open(isPassedOn: boolean) {
  const lab = openLab()
  relay = await TestRelay.open({
    watch: combineObservers([metrics, createSpanObserver(kept => spans.push(...kept))]),
    tracing: createTracing({ sampling: { sampler: 'parentbased_always_on', ratio: 1 }, isPassedOn }),
    send: sendThrough(request => {
      told.push([new URL(request.url).pathname, request.headers.get('traceparent')])
      return lab.fetch(request)
    }),
  })
  await relay.addChannel({ name: 'draws', type: 5, models: 'mj_imagine' })
  await relay.addChannel({ name: 'sings', type: 36, models: 'suno_music' })
  key = await relay.addToken()
}

beforeEach(async () => {
  restore = setClock({ nowMs: () => now, elapsedMs: () => now })
  metrics = createRelayMetrics()
  spans = []
  told = []
  await open(false)
})
afterEach(async () => {
  await relay.close()
  restore()
})

const call = async (path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>> =>
  Object(await (await relay.ask(path, key, body, { traceparent: TRACEPARENT })).json())
const draw = (prompt = PROMPT) => call('/mj/submit/imagine', { prompt })
const follow = async () => {
  now += 5000
  while ((await followTasks(relay.gateway, new AbortController().signal)) > 0);
}

/** How often each operation was counted under a name, with what went wrong. */
const counts = (name: string) =>
  readExposition(metrics.metrics.render())
    .filter(sample => sample.name === `${name}_count`)
    .map(({ labels, value }) => [
      labels.gen_ai_operation_name,
      labels.gen_ai_provider_name,
      labels.gen_ai_request_model,
      labels.error_type,
      value,
    ])

test('submissions of drawings and songs, what their clients ask, and what vendors are asked of them, are counted by name', async () => {
  const { result } = await draw()
  await call('/suno/submit/music', { gpt_description_prompt: PROMPT })
  await follow()
  await call(`/mj/task/${result}/fetch`)
  const drawer = relay.gateway.registry.byType(5)
  const singer = relay.gateway.registry.byType(36)
  const [draws, sings] = [drawer, singer].map(provider => provider?.name.toLowerCase().replaceAll(' ', '_'))
  expect(counts(SERVER)).toEqual([
    ['drawing', draws, 'mj_imagine', undefined, 1],
    ['music', sings, 'suno_music', undefined, 1],
    ['drawing_fetch', '_OTHER', '_OTHER', undefined, 1],
  ])
  expect(counts(CLIENT)).toEqual([
    ['drawing', draws, 'mj_imagine', undefined, 1],
    ['music', sings, 'suno_music', undefined, 1],
    ['drawing_fetch', draws, '_OTHER', undefined, 1],
    ['music_fetch', sings, '_OTHER', undefined, 1],
  ])
})

test('a submission that no vendor takes is counted by what went wrong, a question that one does not answer too', async () => {
  await draw()
  await relay.db.updateTable('channels').set({ base_url: 'http://lab.test/lab/fault/status-500' }).execute()
  await relay.gateway.channels.refresh()
  await draw()
  now += 5000
  await followTasks(relay.gateway, new AbortController().signal)
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

test('a submission goes on with the trace of its client; a question of ours to the vendor is a trace of its own', async () => {
  await draw()
  await follow()
  const [request, submitted, charge, asked] = spans
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
  expect(submitted).toMatchObject({ ...child, name: 'drawing mj_imagine', kind: 'client', isError: false })
  expect(submitted?.attributes).toMatchObject({ 'tollgate.channel_name': 'draws' })
  expect(charge).toMatchObject({ ...child, name: 'charge', kind: 'internal' })
  expect(asked).toMatchObject({ parentId: undefined, name: 'drawing_fetch', kind: 'client', isError: false })
  expect(asked?.traceId).not.toBe(TRACE)
})

test('refusals say why, and nothing of what was asked stands in a span', async () => {
  await draw('')
  await call('/mj/task/none/fetch')
  await relay.ask('/suno/submit/music', 'no-such-key', {})
  await draw(`${PROMPT} [lab: status-500]`)
  const requests = spans.filter(({ kind }) => kind === 'server')
  expect(requests.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
    ['refused', 'invalid_request'],
    ['refused', 'invalid_request'],
    ['refused', 'invalid_api_key'],
    ['drawing mj_imagine', expect.stringMatching(/^5\d\d$/)],
  ])
  for (const secret of ['planted', key, 'lab.test']) expect(JSON.stringify(spans)).not.toContain(secret)
})

test('vendors are told of the trace of a submission only where the operator wants it', async () => {
  await draw()
  await relay.close()
  await open(true)
  spans = []
  await draw()
  const [[, first] = [], [, second] = []] = told.filter(([path]) => path.endsWith('/submit/imagine'))
  expect(first).toBeNull()
  expect(second).toBe(`00-${TRACE}-${spans.find(({ kind }) => kind === 'client')?.spanId}-01`)
})
