import { expect, test } from 'bun:test'
import { readExposition } from '../../testing/read-exposition.ts'
import { createMetricsRegistry, Histogram } from './metrics.ts'

test('renders counters and gauges in the text format of Prometheus', () => {
  const metrics = createMetricsRegistry()
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

test('adds the common labels to every line', () => {
  const metrics = createMetricsRegistry({ process: 7 })
  metrics.counter('requests_total', 'Requests answered.', () => [[{ status: 200 }, 2]])
  metrics.gauge('open', 'Open things.', () => 3)
  expect(readExposition(metrics.render()).map(({ labels }) => labels)).toEqual([
    { status: '200', process: '7' },
    { process: '7' },
  ])
})

test('renders a histogram with cumulative buckets, its sum and its count', () => {
  const metrics = createMetricsRegistry()
  const histogram = new Histogram([0.1, 1])
  for (const value of [0.05, 0.1, 0.5, 7]) histogram.observe(value)
  metrics.histogram('time_seconds', 'Time.', () => [[{ model: 'a "b"\\\n' }, histogram]])
  expect(readExposition(metrics.render())).toEqual([
    { name: 'time_seconds_bucket', labels: { model: 'a "b"\\\n', le: '0.1' }, value: 2 },
    { name: 'time_seconds_bucket', labels: { model: 'a "b"\\\n', le: '1' }, value: 3 },
    { name: 'time_seconds_bucket', labels: { model: 'a "b"\\\n', le: '+Inf' }, value: 4 },
    { name: 'time_seconds_sum', labels: { model: 'a "b"\\\n' }, value: 7.65 },
    { name: 'time_seconds_count', labels: { model: 'a "b"\\\n' }, value: 4 },
  ])
})

test('renders no lines for an empty histogram', () => {
  const counted = new Histogram([1])
  counted.observe(0.5)
  const metrics = createMetricsRegistry()
  metrics.histogram('wait_seconds', 'Time of waiting.', () => [
    [{ path: '/never' }, new Histogram([1])],
    [{ path: '/once' }, counted],
  ])
  const paths = readExposition(metrics.render()).map(({ labels }) => labels.path)
  expect(new Set(paths)).toEqual(new Set(['/once']))
})
