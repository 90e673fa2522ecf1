import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { callChat } from '../harness/call-chat.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { openPostgres } from '../harness/open-postgres.ts'
import { PROJECT } from '../harness/program.ts'
import { setOptions } from '../harness/set-options.ts'
import { startGateway } from '../harness/start-gateway.ts'
import { startUpstream } from '../harness/start-upstream.ts'
import { makeTemporaryFolder } from '../harness/temporary-folder.ts'
import { waitUntil } from '../harness/wait-until.ts'

const read = (name: string): string => readFileSync(join(PROJECT, 'deploy', 'grafana', name), 'utf8')

/** The parts of Grafana's dashboard model (schema version 39) that a panel needs to be drawn. */
const Place = z.object({ h: z.int().positive(), w: z.int().positive(), x: z.int().min(0), y: z.int().min(0) })
const Target = z.object({ refId: z.string(), expr: z.string().min(1), legendFormat: z.string().min(1) })
const Panel = z.discriminatedUnion('type', [
  z.object({ type: z.literal('row'), id: z.int(), title: z.string().min(1), gridPos: Place }),
  z.object({
    type: z.literal('timeseries'),
    id: z.int(),
    title: z.string().min(1),
    description: z.string().endsWith('.'),
    gridPos: Place,
    datasource: z.object({ type: z.literal('prometheus'), uid: z.string().startsWith('$') }),
    fieldConfig: z.object({ defaults: z.object({ unit: z.string() }) }),
    targets: z.array(Target).min(1),
  }),
])
const Dashboard = z.object({
  title: z.literal('Tollgate'),
  uid: z.literal('tollgate'),
  schemaVersion: z.literal(39),
  templating: z.object({ list: z.array(z.object({ name: z.literal('datasource') })).length(1) }),
  panels: z.array(Panel).min(1),
})
const Rules = z.object({
  groups: z.array(
    z.object({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^Tollgate[A-Za-z]+$/),
          expr: z.string(),
          for: z.string().optional(),
          labels: z.object({ severity: z.enum(['critical', 'warning', 'info']) }),
          annotations: z.object({ summary: z.string().endsWith('.') }),
        }),
      ),
    }),
  ),
})

const dashboard = Dashboard.parse(JSON.parse(read('dashboard.json')))
const rules = Rules.parse(Bun.YAML.parse(read('alerts.yaml'))).groups.flatMap(group => group.rules)
const expressions = [
  ...dashboard.panels
    .flatMap(panel => (panel.type === 'row' ? [] : panel.targets))
    .map(({ expr }) => expr.replaceAll('$__rate_interval', '5m')),
  ...rules.map(({ expr }) => expr),
]

const postgres = await openPostgres()
const upstream = startUpstream()
let metrics = ''
beforeAll(async () => {
  await using gateway = await startGateway({
    environment: {
      DATABASE_URL: postgres.url,
      WORKERS: '1',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    },
  })
  const root = await gateway.signInAsRoot()
  await setOptions(root, { MetricsOpenEnabled: true })
  await addLabChannel(root, upstream, { provider: 'openai', models: ['gpt-4o'] })
  const { key } = await addToken(root)
  const ask = () =>
    callChat({
      url: gateway.url,
      key,
      body: { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] },
    })
  upstream.respondWith(COMPLETION, 'application/json')
  expect((await ask()).status).toBe(200)
  upstream.respondWith('{}', 'application/json', 500)
  await ask()
  // A histogram shows nothing before its first value, and nothing but work makes the collector run.
  await waitUntil({ description: 'a garbage collection', timeoutMs: 60_000 }, async () => {
    await Promise.all(Array.from({ length: 20 }, ask))
    metrics = await (await fetch(`${gateway.url}/metrics`)).text()
    return metrics.includes('tollgate_gc_duration_seconds_count')
  })
})
afterAll(async () => {
  await upstream.stop()
  await postgres.stop()
})

const COMPLETION = JSON.stringify({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-4o',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, dreamed_tokens: 1 },
})

const SUFFIXES: Readonly<Record<string, readonly string[]>> = { histogram: ['_bucket', '_sum', '_count'] }

test('every series that dashboard and alerts name is one of the gateway', () => {
  const series = new Set(
    [...metrics.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type = '']) =>
      (SUFFIXES[type] ?? ['']).map(suffix => name + suffix),
    ),
  )
  const named = expressions.flatMap(
    text => text.match(/\b(gen_ai_(server|client)|tollgate|process)_\w+/g) ?? [],
  )
  expect(new Set(named).size).toBeGreaterThan(15)
  expect([...new Set(named)].filter(name => !series.has(name))).toEqual([])
})

test('every label that they name is one of those series', () => {
  const labels = new Set([...metrics.matchAll(/[{,](\w+)="/g)].map(([, label]) => label))
  const named = expressions.flatMap(text => [
    ...[...text.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/)),
    ...[...text.matchAll(/[{,]\s*(\w+)(=~?|!~?=?)"/g)].map(([, label = '']) => label),
  ])
  // Prometheus adds `job` itself.
  expect([...new Set(named)].filter(label => label !== 'job' && !labels.has(label))).toEqual([])
})

test('panels have an id of their own and share no place', () => {
  const { panels } = dashboard
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
  )
  expect(new Set(cells).size).toBe(cells.length)
  expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true)
})

const PROMTOOL = Bun.which('promtool')

test("Prometheus' own parser reads every expression, where it is installed", () => {
  const folder = makeTemporaryFolder()
  const file = join(folder.path, 'rules.yaml')
  const group = { name: 'all', rules: expressions.map((expr, index) => ({ record: `e${index}`, expr })) }
  writeFileSync(file, JSON.stringify({ groups: [group] }))
  for (const rulesFile of [file, join(PROJECT, 'deploy', 'grafana', 'alerts.yaml')]) {
    const check = PROMTOOL ? Bun.spawnSync([PROMTOOL, 'check', 'rules', rulesFile]) : undefined
    expect(check?.exitCode ?? 0, check?.stderr.toString()).toBe(0)
  }
  folder.remove()
})
