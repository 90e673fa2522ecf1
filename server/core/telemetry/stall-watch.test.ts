import { expect, test } from 'bun:test'
import { elapsedMs, sleepMs } from '../clock.ts'
import { type LogFields, type Logger, noopLogger } from '../logger.ts'
import { createMetricsRegistry } from './metrics.ts'
import { createStallWatch, noteStep } from './stall-watch.ts'

function blockMs(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

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
  expect(lines).toEqual([
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
  expect(lines).toEqual([{ ms: expect.any(Number), steps: [] }])
})
