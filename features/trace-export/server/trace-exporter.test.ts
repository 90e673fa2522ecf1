import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type Logger, noopLogger } from '#server/core/logger.ts'
import { send } from '#server/http-client/send.ts'
import { type LocalServer, openLocalServer } from '#server/testing/local-server.ts'
import { createTraceExporter, type TraceExporter } from './trace-exporter.ts'
import type { TraceSpan } from './trace-span.ts'

const PATH = '/v1/traces'
const QUEUE_SPANS_MAX = 4096

let collector: LocalServer
let exporter: TraceExporter
beforeEach(() => {
  collector = openLocalServer()
  collector.handlers[PATH] = () => Response.json({})
})
afterEach(async () => {
  await exporter.close()
  await collector.close()
})

const spanOf = (name: string): TraceSpan => ({
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  parentId: undefined,
  name,
  kind: 'server',
  startedMs: 1_790_000_000_000.25,
  endedMs: 1_790_000_000_100.5,
  attributes: { model: 'a', tokens: 3, share: 0.5, nothing: undefined },
  isError: true,
})

const open = ({
  url = collector.url,
  intervalMs = 5,
  log = noopLogger,
}: {
  url?: string
  intervalMs?: number
  log?: Logger
} = {}) =>
  createTraceExporter({
    target: { url: `${url}${PATH}`, headers: { authorization: 'Basic planted' } },
    service: { name: 'gate', version: '1.2.3', instance: 'one' },
    send,
    log,
    intervalMs,
  })

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(1)
}

test('delivers spans in the JSON encoding of OTLP with the service and the configured headers', async () => {
  exporter = open()
  exporter.add([spanOf('chat lab')])
  await until(() => exporter.stats().delivered === 1)
  const [request] = collector.requests
  expect(request?.headers.get('authorization')).toBe('Basic planted')
  expect(request?.headers.get('content-type')).toBe('application/json')
  expect(JSON.parse(request?.body ?? '')).toEqual({
    resourceSpans: [
      {
        resource: {
          attributes: [
            { key: 'service.name', value: { stringValue: 'gate' } },
            { key: 'service.version', value: { stringValue: '1.2.3' } },
            { key: 'service.instance.id', value: { stringValue: 'one' } },
          ],
        },
        scopeSpans: [
          {
            scope: { name: 'tollgate', version: '1.2.3' },
            spans: [
              {
                traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
                spanId: '00f067aa0ba902b7',
                name: 'chat lab',
                kind: 2,
                startTimeUnixNano: '1790000000000250000',
                endTimeUnixNano: '1790000000100500000',
                attributes: [
                  { key: 'model', value: { stringValue: 'a' } },
                  { key: 'tokens', value: { intValue: '3' } },
                  { key: 'share', value: { doubleValue: 0.5 } },
                ],
                status: { code: 2 },
              },
            ],
          },
        ],
      },
    ],
  })
})

test('queues spans while the collector is down, logs that once, and delivers them when it is back', async () => {
  const lines: string[] = []
  const log = {
    ...noopLogger,
    warn: (line: string) => lines.push(line),
    info: (line: string) => lines.push(line),
  }
  let rejections = 0
  collector.handlers[PATH] = () => {
    rejections += 1
    return new Response('', { status: 503 })
  }
  exporter = open({ log })
  exporter.add([spanOf('a'), spanOf('b')])
  await until(() => rejections >= 3)
  expect(exporter.stats()).toEqual({ delivered: 0, dropped: 0, waiting: 2 })
  collector.handlers[PATH] = () => Response.json({})
  await until(() => exporter.stats().delivered === 2)
  expect(lines).toEqual(['traces cannot be delivered', 'trace delivery resumed'])
})

test('drops the spans that find no room in the queue', async () => {
  await collector.close()
  exporter = open()
  const many = Array.from({ length: 1000 }, (_, index) => spanOf(`span ${index}`))
  for (let round = 0; round < 6; round += 1) exporter.add(many)
  expect(exporter.stats()).toEqual({
    delivered: 0,
    dropped: 6000 - QUEUE_SPANS_MAX,
    waiting: QUEUE_SPANS_MAX,
  })
})

test('drops and counts spans that the collector rejects', async () => {
  collector.handlers[PATH] = () => new Response('', { status: 400 })
  exporter = open()
  exporter.add([spanOf('a')])
  await until(() => exporter.stats().dropped === 1)
  expect(exporter.stats()).toEqual({ delivered: 0, dropped: 1, waiting: 0 })
})

test('exports a full batch at once', async () => {
  exporter = open({ intervalMs: 3_600_000 })
  exporter.add(Array.from({ length: 1200 }, () => spanOf('a')))
  await until(() => exporter.stats().delivered === 1200)
  expect(collector.requests).toHaveLength(3)
})

test('delivers the queued spans when it closes', async () => {
  exporter = open({ intervalMs: 3_600_000 })
  exporter.add([spanOf('a')])
  await exporter.close()
  expect(exporter.stats().delivered).toBe(1)
})

test('does not wait for a stalled collector when it closes', async () => {
  const late = Promise.withResolvers<Response>()
  collector.handlers[PATH] = () => late.promise
  exporter = open()
  exporter.add([spanOf('a')])
  await until(() => collector.requests.length === 1)
  await exporter.close()
  expect(exporter.stats()).toEqual({ delivered: 0, dropped: 0, waiting: 1 })
  late.resolve(new Response())
})
