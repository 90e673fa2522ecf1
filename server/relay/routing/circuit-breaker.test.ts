import { expect, test } from 'bun:test'
import { CircuitBreaker } from './circuit-breaker.ts'

const failTimes = (circuit: CircuitBreaker, times: number, atMs = 0): void => {
  for (let count = 0; count < times; count += 1) circuit.recordFailure(circuit.acquire(atMs), atMs)
}

test('opens after five consecutive failures, not after four', () => {
  const circuit = new CircuitBreaker()
  failTimes(circuit, 4)
  expect(circuit.state(0)).toBe('closed')
  circuit.recordSuccess(circuit.acquire(0))
  failTimes(circuit, 4)
  expect(circuit.state(0)).toBe('closed')
  failTimes(circuit, 1)
  expect(circuit.state(0)).toBe('open')
})

test('opens when half of the last twenty calls failed, consecutive or not', () => {
  const circuit = new CircuitBreaker()
  for (let count = 0; count < 10; count += 1) {
    expect(circuit.state(0)).toBe('closed')
    circuit.recordSuccess(circuit.acquire(0))
    circuit.recordFailure(circuit.acquire(0), 0)
  }
  expect(circuit.state(0)).toBe('open')
})

test('admits one probe at a time after the pause and closes when it succeeds', () => {
  const circuit = new CircuitBreaker()
  failTimes(circuit, 5)
  expect(circuit.state(4999)).toBe('open')
  expect(circuit.state(5000)).toBe('half-open')
  const probe = circuit.acquire(5000)
  expect(circuit.state(5000)).toBe('open')
  circuit.recordSuccess(probe)
  expect(circuit.state(5000)).toBe('closed')
})

test('doubles the pause after a failed probe, up to two minutes', () => {
  const circuit = new CircuitBreaker()
  failTimes(circuit, 5)
  let nowMs = 0
  for (const pauseMs of [5000, 10_000, 20_000, 40_000, 80_000, 120_000, 120_000]) {
    expect(circuit.state(nowMs + pauseMs - 1)).toBe('open')
    nowMs += pauseMs
    expect(circuit.state(nowMs)).toBe('half-open')
    circuit.recordFailure(circuit.acquire(nowMs), nowMs)
  }
})

test('admits another probe after one without a result', () => {
  const circuit = new CircuitBreaker()
  failTimes(circuit, 5)
  circuit.releaseProbe(circuit.acquire(5000))
  expect(circuit.state(5000)).toBe('half-open')
})

test('lets a released probe decide without releasing the next one', () => {
  const circuit = new CircuitBreaker()
  failTimes(circuit, 5)
  const long = circuit.acquire(5000)
  circuit.releaseProbe(long)
  const next = circuit.acquire(5000)
  circuit.releaseProbe(long)
  expect(circuit.state(5000)).toBe('open')
  circuit.releaseProbe(next)
  circuit.recordFailure(long, 6000)
  expect(circuit.state(15_999)).toBe('open')
  circuit.recordSuccess(next)
  expect(circuit.state(6000)).toBe('closed')
})

test('doubles the pause once when several probes break together', () => {
  const circuit = new CircuitBreaker()
  failTimes(circuit, 5)
  const probes = Array.from({ length: 8 }, () => {
    const probe = circuit.acquire(5000)
    circuit.releaseProbe(probe)
    return probe
  })
  for (const probe of probes) circuit.recordFailure(probe, 6000)
  expect(circuit.state(15_999)).toBe('open')
  expect(circuit.state(16_000)).toBe('half-open')
})

test('counts a probe that fails after the circuit closed as one ordinary failure', () => {
  const circuit = new CircuitBreaker()
  failTimes(circuit, 5)
  const long = circuit.acquire(5000)
  circuit.releaseProbe(long)
  circuit.recordSuccess(circuit.acquire(5000))
  circuit.recordFailure(long, 900_000)
  expect(circuit.state(900_000)).toBe('closed')
  failTimes(circuit, 4, 900_000)
  expect(circuit.state(900_000)).toBe('open')
})

test('keeps the pause when a call from before it fails after its end', () => {
  const circuit = new CircuitBreaker()
  const early = circuit.acquire(0)
  failTimes(circuit, 5)
  circuit.recordFailure(early, 6000)
  expect(circuit.state(6000)).toBe('half-open')
})

test('ignores calls that began before the circuit opened', () => {
  const circuit = new CircuitBreaker()
  const early = circuit.acquire(0)
  const other = circuit.acquire(0)
  failTimes(circuit, 5)
  circuit.recordSuccess(early)
  circuit.recordFailure(other, 3000)
  expect(circuit.state(4999)).toBe('open')
  expect(circuit.state(5000)).toBe('half-open')
})
