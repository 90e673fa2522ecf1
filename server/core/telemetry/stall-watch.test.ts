import { expect, test } from 'bun:test'
import { elapsedMs, sleepMs } from '../clock.ts'
import { type LogFields, type Logger, noopLogger } from '../logger.ts'
import { createMetricsRegistry } from './metrics.ts'
import { createStallWatch, noteStep } from './stall-watch.ts'

function blockMs(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

const isCollection = (step: unknown): boolean => JSON.stringify(step).includes('"garbage collection"')

/** The lines without the collections of other tests, which may run at any time. */
const withoutCollections = (lines: readonly LogFields[]): readonly LogFields[] =>
  lines.map(({ steps, ...line }) => ({
    ...line,
    steps: Array.isArray(steps) ? steps.filter(step => !isCollection(step)) : steps,
  }))

function openWatch() {
  const lines: LogFields[] = []
  const warn = (_: string, fields?: LogFields) => lines.push(fields ?? {})
  const log: Logger = { ...noopLogger, warn }
  const metrics = createMetricsRegistry()
  const watch = createStallWatch({ metrics, log, isBusy: () => true })
  return { watch, metrics, lines }
}

test('logs a stall of the event loop with the long steps in it', async () => {
  const { watch, metrics, lines } = openWatch()
  watch.onRequest()
  await sleepMs(10)
  const startedMs = elapsedMs()
  blockMs(400)
  noteStep('ledger commit', startedMs)
  await sleepMs(60)
  watch.stop()
  expect(withoutCollections(lines)).toEqual([
    { ms: expect.any(Number), steps: [{ step: 'ledger commit', ms: expect.any(Number) }] },
  ])
  expect(lines[0]?.ms).toBeGreaterThan(300)
  expect(metrics.render()).toContain('tollgate_event_loop_delay_seconds_bucket{le="0.2"}')
})

test('forgets steps that ended before the stall and says nothing about short delays', async () => {
  const { watch, lines } = openWatch()
  noteStep('old', elapsedMs() - 500)
  await sleepMs(120)
  watch.onRequest()
  blockMs(80)
  await sleepMs(60)
  expect(lines).toEqual([])
  blockMs(500)
  await sleepMs(60)
  watch.stop()
  expect(withoutCollections(lines)).toEqual([{ ms: expect.any(Number), steps: [] }])
})

test('times garbage collections while requests are served', async () => {
  const { watch, metrics } = openWatch()
  expect(metrics.render()).not.toContain('tollgate_gc_duration_seconds_count')
  watch.onRequest()
  Bun.gc(true)
  await sleepMs(60)
  watch.stop()
  expect(metrics.render()).toMatch(/tollgate_gc_duration_seconds_count\{kind="full"\} [1-9]/)
})

test('names a garbage collection in a stall', async () => {
  const { watch, lines } = openWatch()
  const objects = Array.from({ length: 2_000_000 }, (_, index) => ({ index }))
  watch.onRequest()
  await sleepMs(10)
  const startedMs = elapsedMs()
  Bun.gc(true)
  blockMs(300 - (elapsedMs() - startedMs))
  await sleepMs(60)
  watch.stop()
  expect(objects).toHaveLength(2_000_000)
  expect(lines).toHaveLength(1)
  expect(lines[0]?.steps).toContainEqual({ step: 'garbage collection', ms: expect.any(Number) })
})
