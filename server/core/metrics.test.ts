import { expect, test } from 'bun:test'
import { readExposition } from '../testing/read-exposition.ts'
import { openMetrics } from './metrics.ts'

test('counters and gauges are printed in the text format of Prometheus', () => {
  const metrics = openMetrics()
  metrics.counter('requests_total', 'Requests answered.', () => [
    [{ status: 200 }, 2],
    [{ status: 429, why: 'a "b"\n' }, 1],
  ])
  metrics.gauge('open', 'Open things.', () => 3)
  expect(metrics.render()).toBe(
    [
      '# HELP requests_total Requests answered.',
      '# TYPE requests_total counter',
      'requests_total{status="200"} 2',
      'requests_total{status="429",why="a \\"b\\"\\n"} 1',
      '# HELP open Open things.',
      '# TYPE open gauge',
      'open 3',
      '',
    ].join('\n'),
  )
})

test('what tells this process from others stands in every line', () => {
  const metrics = openMetrics({ process: 7 })
  metrics.counter('requests_total', 'Requests answered.', () => [[{ status: 200 }, 2]])
  metrics.gauge('open', 'Open things.', () => 3)
  expect(readExposition(metrics.render()).map(({ labels }) => labels)).toEqual([
    { status: '200', process: '7' },
    { process: '7' },
  ])
})
