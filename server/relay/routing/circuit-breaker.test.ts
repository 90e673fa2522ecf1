import { expect, test } from 'bun:test'
import { Circuit } from './circuit-breaker.ts'

const failTimes = (circuit: Circuit, times: number, atMs = 0): void => {
  for (let count = 0; count < times; count += 1) circuit.fail(circuit.begin(atMs), atMs)
}

test('five failures one after the other open it, four do not', () => {
  const circuit = new Circuit()
  failTimes(circuit, 4)
  expect(circuit.state(0)).toBe('closed')
  circuit.succeed(circuit.begin(0))
  failTimes(circuit, 4)
  expect(circuit.state(0)).toBe('closed')
  failTimes(circuit, 1)
  expect(circuit.state(0)).toBe('open')
})

test('half of the last twenty calls open it, though they do not come in a row', () => {
  const circuit = new Circuit()
  for (let count = 0; count < 10; count += 1) {
    expect(circuit.state(0)).toBe('closed')
    circuit.succeed(circuit.begin(0))
    circuit.fail(circuit.begin(0), 0)
  }
  expect(circuit.state(0)).toBe('open')
})

test('after its pause it lets one probe go at a time, and a good probe closes it', () => {
  const circuit = new Circuit()
  failTimes(circuit, 5)
  expect(circuit.state(4999)).toBe('open')
  expect(circuit.state(5000)).toBe('half-open')
  const probe = circuit.begin(5000)
  expect(circuit.state(5000)).toBe('open')
  circuit.succeed(probe)
  expect(circuit.state(5000)).toBe('closed')
})

test('a bad probe opens it for twice as long, up to two minutes', () => {
  const circuit = new Circuit()
  failTimes(circuit, 5)
  let nowMs = 0
  for (const pauseMs of [5000, 10_000, 20_000, 40_000, 80_000, 120_000, 120_000]) {
    expect(circuit.state(nowMs + pauseMs - 1)).toBe('open')
    nowMs += pauseMs
    expect(circuit.state(nowMs)).toBe('half-open')
    circuit.fail(circuit.begin(nowMs), nowMs)
  }
})

test('a probe that says nothing makes room for another', () => {
  const circuit = new Circuit()
  failTimes(circuit, 5)
  circuit.makeRoom(circuit.begin(5000))
  expect(circuit.state(5000)).toBe('half-open')
})

test('a probe that has made room still decides, and makes none for those after it', () => {
  const circuit = new Circuit()
  failTimes(circuit, 5)
  const long = circuit.begin(5000)
  circuit.makeRoom(long)
  const next = circuit.begin(5000)
  circuit.makeRoom(long)
  expect(circuit.state(5000)).toBe('open')
  circuit.makeRoom(next)
  circuit.fail(long, 6000)
  expect(circuit.state(15_999)).toBe('open')
  circuit.succeed(next)
  expect(circuit.state(6000)).toBe('closed')
})

test('probes whose answers break off together double the pause once', () => {
  const circuit = new Circuit()
  failTimes(circuit, 5)
  const probes = Array.from({ length: 8 }, () => {
    const probe = circuit.begin(5000)
    circuit.makeRoom(probe)
    return probe
  })
  for (const probe of probes) circuit.fail(probe, 6000)
  expect(circuit.state(15_999)).toBe('open')
  expect(circuit.state(16_000)).toBe('half-open')
})

test('a probe that breaks off after another has closed it is one failure like any', () => {
  const circuit = new Circuit()
  failTimes(circuit, 5)
  const long = circuit.begin(5000)
  circuit.makeRoom(long)
  circuit.succeed(circuit.begin(5000))
  circuit.fail(long, 900_000)
  expect(circuit.state(900_000)).toBe('closed')
  failTimes(circuit, 4, 900_000)
  expect(circuit.state(900_000)).toBe('open')
})

test('a call that began before it opened neither closes it nor prolongs its pause', () => {
  const circuit = new Circuit()
  const early = circuit.begin(0)
  const other = circuit.begin(0)
  failTimes(circuit, 5)
  circuit.succeed(early)
  circuit.fail(other, 3000)
  expect(circuit.state(4999)).toBe('open')
  expect(circuit.state(5000)).toBe('half-open')
})
