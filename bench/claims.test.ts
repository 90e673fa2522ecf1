import { expect, test } from 'bun:test'
import { judge, multipleOf } from './claims.ts'
import type { Throughput } from './measure.ts'
import type { BenchResult } from './result.ts'
import type { MeasuredLoad } from './run-load.ts'

const throughput = (cpuMicrosPerRequest: number): Throughput => ({
  cpuMicrosPerRequest,
  requestsPerSecond: 1000,
  p50Ms: 1,
  p99Ms: 2,
  succeeded: 1000,
  failed: 0,
  firstFailure: '',
  peakMb: 100,
  finalMb: 90,
  rounds: [cpuMicrosPerRequest],
})

const streams: MeasuredLoad = {
  succeeded: 512,
  failed: 0,
  firstFailure: '',
  seconds: 2,
  latencyMs: { p50: 1, p99: 2 },
  firstTokenMs: { p50: 1, p99: 2 },
  longestGapMs: 50,
  eventDelayMs: { p50: 0, p99: 0, longest: 0 },
  tokens: 512 * 40,
  cpuMicrosPerRequest: 100,
  residentMb: 90,
  peakMb: 100,
}

const good: Omit<BenchResult, 'claims'> = {
  startedAt: '2026-01-01T00:00:00Z',
  size: 'quick',
  machine: { cpu: 'some', cores: 2, system: 'Linux', bun: '1' },
  throughput: { floor: throughput(100), tollgate: throughput(200), portkey: throughput(1600) },
  steady: { direct: streams, tollgate: { ...streams, latencyMs: { p50: 1, p99: 7 } } },
  firstTokens: { direct: streams, tollgate: { ...streams, firstTokenMs: { p50: 1, p99: 12 } } },
  streams: { tollgate: streams },
  ledger: { responses: 1512, logRows: 1512, isBalanced: true, report: '', tokensPerStream: 40 },
}

const brokenPromises = (result: Omit<BenchResult, 'claims'>): readonly string[] =>
  judge(result)
    .filter(claim => !claim.isMet)
    .map(claim => claim.says)

test('keeps all promises when every figure is at its limit', () => {
  expect(brokenPromises(good)).toEqual([])
})

test.each<[string, Partial<typeof good>]>([
  [
    'microseconds of CPU',
    { throughput: { ...good.throughput, tollgate: throughput(201), portkey: throughput(1608) } },
  ],
  ['share of the peer', { throughput: { ...good.throughput, portkey: throughput(1599) } }],
  ['memory', { throughput: { ...good.throughput, tollgate: { ...throughput(200), finalMb: 121 } } }],
  ['failed requests', { throughput: { ...good.throughput, tollgate: { ...throughput(200), failed: 1 } } }],
  [
    'p99 latency of requests',
    { steady: { ...good.steady, direct: { ...streams, latencyMs: { p50: 1, p99: 1.9 } } } },
  ],
  [
    'p99 latency of first tokens',
    { firstTokens: { ...good.firstTokens, direct: { ...streams, firstTokenMs: { p50: 1, p99: 1.9 } } } },
  ],
  ['unfinished slow streams', { streams: { tollgate: { ...streams, failed: 1 } } }],
  ['tokens lost', { streams: { tollgate: { ...streams, tokens: 512 * 40 - 1 } } }],
  ['responses and log rows', { ledger: { ...good.ledger, logRows: 1511 } }],
  ['audits with a drift', { ledger: { ...good.ledger, isBalanced: false } }],
])('reports exactly the broken promise: %s', (says, change) => {
  expect(brokenPromises({ ...good, ...change })).toEqual([expect.stringContaining(says)])
})

test('computes a multiple as the median of the ratios per round', () => {
  const rounds = (...micros: number[]): Throughput => ({ ...throughput(0), rounds: micros })
  expect(multipleOf(rounds(20, 200, 30), rounds(10, 100, 10))).toBe(2)
  expect(multipleOf(rounds(1), undefined)).toBeNaN()
})

test('judges the CPU by the limit and the peer, not by the floor', () => {
  expect(brokenPromises({ ...good, throughput: { ...good.throughput, floor: throughput(10) } })).toEqual([])
})

test('counts a missing figure as a broken promise', () => {
  expect(brokenPromises({ ...good, throughput: {} }).length).toBeGreaterThan(3)
})
