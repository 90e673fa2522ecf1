import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type Logger, noopLogger } from '../core/logger.ts'
import type { TraceSpan } from '../core/trace-span.ts'
import { send } from '../relay/upstream/send.ts'
import { type LocalParty, openLocalParty } from '../testing/local-party.ts'
import { openTraceExporter, type TraceExporter } from './trace-exporter.ts'

const PATH = '/v1/traces'
const ROOM = 4096

let collector: LocalParty
let exporter: TraceExporter
beforeEach(() => {
  collector = openLocalParty()
  collector.answers[PATH] = () => Response.json({})
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
  waitMs = 5,
  log = noopLogger,
}: {
  url?: string
  waitMs?: number
  log?: Logger
} = {}) =>
  openTraceExporter({
    target: { url: `${url}${PATH}`, headers: { authorization: 'Basic planted' } },
    service: { name: 'gate', version: '1.2.3', instance: 'one' },
    send,
    log,
    waitMs,
  })

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await Bun.sleep(1)
}

test('spans are delivered in the JSON form of OTLP, with the service and the operator’s headers', async () => {
  exporter = open()
  exporter.add([spanOf('chat lab')])
  await until(() => exporter.figures().delivered === 1)
  const [asked] = collector.asked
  expect(asked?.headers.get('authorization')).toBe('Basic planted')
  expect(asked?.headers.get('content-type')).toBe('application/json')
  expect(JSON.parse(asked?.body ?? '')).toEqual({
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

test('what comes while the collector is away waits, is told of once, and is delivered when it is back', async () => {
  const told: string[] = []
  const log = {
    ...noopLogger,
    warn: (line: string) => told.push(line),
    info: (line: string) => told.push(line),
  }
  let refusals = 0
  collector.answers[PATH] = () => {
    refusals += 1
    return new Response('', { status: 503 })
  }
  exporter = open({ log })
  exporter.add([spanOf('a'), spanOf('b')])
  await until(() => refusals >= 3)
  expect(exporter.figures()).toEqual({ delivered: 0, dropped: 0, waiting: 2 })
  collector.answers[PATH] = () => Response.json({})
  await until(() => exporter.figures().delivered === 2)
  expect(told).toEqual(['traces cannot be delivered', 'traces are delivered again'])
})

test('a collector that is gone costs no more than the queue has room for', async () => {
  await collector.close()
  exporter = open()
  const many = Array.from({ length: 1000 }, (_, index) => spanOf(`span ${index}`))
  for (let round = 0; round < 6; round += 1) exporter.add(many)
  expect(exporter.figures()).toEqual({ delivered: 0, dropped: 6000 - ROOM, waiting: ROOM })
})

test('what the collector will never take is dropped and counted', async () => {
  collector.answers[PATH] = () => new Response('', { status: 400 })
  exporter = open()
  exporter.add([spanOf('a')])
  await until(() => exporter.figures().dropped === 1)
  expect(exporter.figures()).toEqual({ delivered: 0, dropped: 1, waiting: 0 })
})

test('many spans do not wait for company', async () => {
  exporter = open({ waitMs: 3_600_000 })
  exporter.add(Array.from({ length: 1200 }, () => spanOf('a')))
  await until(() => exporter.figures().delivered === 1200)
  expect(collector.asked).toHaveLength(3)
})

test('closing delivers what waits', async () => {
  exporter = open({ waitMs: 3_600_000 })
  exporter.add([spanOf('a')])
  await exporter.close()
  expect(exporter.figures().delivered).toBe(1)
})

test('closing does not wait for a collector that does not answer', async () => {
  const late = Promise.withResolvers<Response>()
  collector.answers[PATH] = () => late.promise
  exporter = open()
  exporter.add([spanOf('a')])
  await until(() => collector.asked.length === 1)
  await exporter.close()
  expect(exporter.figures()).toEqual({ delivered: 0, dropped: 0, waiting: 1 })
  late.resolve(new Response())
})
