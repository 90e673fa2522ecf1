import { expect, test } from 'bun:test'
import { readExposition } from '../testing/read-exposition.ts'
import { Histogram } from './histogram.ts'
import { openMetrics } from './metrics.ts'

test('a histogram is printed with cumulative buckets, its sum and its count', () => {
  const metrics = openMetrics()
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

test('a histogram that counted nothing has no lines', () => {
  const counted = new Histogram([1])
  counted.observe(0.5)
  const metrics = openMetrics()
  metrics.histogram('wait_seconds', 'Time of waiting.', () => [
    [{ path: '/never' }, new Histogram([1])],
    [{ path: '/once' }, counted],
  ])
  const paths = readExposition(metrics.render()).map(({ labels }) => labels.path)
  expect(new Set(paths)).toEqual(new Set(['/once']))
})
