import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { directoryOf } from './channel-directory.ts'
import { ChannelHealth } from './channel-health.ts'
import { asOfNow, chancesOf, orderOfTrial, route } from './route.ts'
import type { RoutedChannel } from './routed-channel.ts'

const viewOf = (id: number, key: string) => ({
  id,
  key,
  baseUrl: '',
  other: '',
  organization: '',
  setting: {},
})

const channel = (id: number, priority: number, weight: number): RoutedChannel => ({
  id,
  name: `channel ${id}`,
  isEnabled: true,
  priority,
  weight,
  canBeDisabledAutomatically: true,
  models: ['m'],
  groups: ['default'],
  testModel: '',
  provider: { type: 1, name: 'Test', baseUrl: '', models: [] },
  view: viewOf(id, 'k'),
  views: [viewOf(id, 'k')],
  limits: {},
  modelMapping: {},
  statusCodeMapping: {},
  paramOverride: {},
})

const channels = fc
  .array(fc.record({ priority: fc.integer({ min: -3, max: 3 }), weight: fc.nat(100) }), {
    minLength: 1,
    maxLength: 12,
  })
  .map(list => list.map(({ priority, weight }, index) => channel(index + 1, priority, weight)))
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

test('every channel is tried once, no channel twice', () => {
  fc.assert(
    fc.property(channels, chance, (list, point) => {
      const ids = orderOfTrial(list, () => point).map(({ id }) => id)
      expect(ids.toSorted((a, b) => a - b)).toEqual(list.map(({ id }) => id))
    }),
  )
})

test('a lower priority never comes before a higher one', () => {
  fc.assert(
    fc.property(channels, chance, (list, point) => {
      const priorities = orderOfTrial(list, () => point).map(({ priority }) => priority)
      expect(priorities).toEqual(priorities.toSorted((a, b) => b - a))
    }),
  )
})

test('within a priority the first choice falls in proportion to weight plus ten', () => {
  const tier = [channel(1, 0, 0), channel(2, 0, 30), channel(3, 0, 50)]
  const draws = 110_000
  const first = new Map<number, number>()
  for (let draw = 0; draw < draws; draw++) {
    const id = orderOfTrial(tier, () => (draw + 0.5) / draws)[0]?.id ?? 0
    first.set(id, (first.get(id) ?? 0) + 1)
  }
  expect([...first.entries()]).toEqual([
    [1, 10_000],
    [2, 40_000],
    [3, 60_000],
  ])
})

const CALLER = { group: 'default', pinnedChannelId: undefined }
const first = () => 0

const breakCircuit = (health: ChannelHealth, broken: RoutedChannel): void => {
  for (let count = 0; count < 5; count += 1) {
    const visit = health.visit(broken)
    if (typeof visit !== 'string') visit.end('bad')
  }
}

test('a channel with an open circuit comes last, whatever its priority, and its obstacle is told', () => {
  const list = [channel(1, 9, 0), channel(2, 0, 0)]
  const health = new ChannelHealth()
  for (const broken of list.slice(0, 1)) breakCircuit(health, broken)
  const trial = route(CALLER, 'm', { directory: directoryOf(list), health, random: first })
  expect(trial.channels.map(({ id }) => id)).toEqual([2, 1])
  expect(trial.candidates.map(({ obstacle }) => obstacle)).toEqual([undefined, 'circuit open'])
})

test('a channel at its limit is not asked, and without another the caller is told to wait', () => {
  const busy = { ...channel(1, 9, 0), limits: { concurrency: 1 } }
  const health = new ChannelHealth()
  health.visit(busy)
  const both = route(CALLER, 'm', { directory: directoryOf([busy, channel(2, 0, 0)]), health })
  expect(both.channels.map(({ id }) => id)).toEqual([2])
  expect(both.candidates.map(({ channel: { id }, obstacle }) => [id, obstacle])).toEqual([
    [2, undefined],
    [1, 'concurrency limit'],
  ])
  expect(() => route(CALLER, 'm', { directory: directoryOf([busy]), health })).toThrow('every channel')
})

test('the preferred channel is asked first among its equals, but not before a higher priority or when it is unwell', () => {
  const list = [channel(1, 0, 0), channel(2, 0, 0), channel(3, 5, 0)]
  const health = new ChannelHealth()
  const ask = (preferredId: number, directory = directoryOf(list)) =>
    route(CALLER, 'm', { directory, health, preferredId, random: first }).channels.map(({ id }) => id)
  expect(ask(2)).toEqual([3, 2, 1])
  const equals = directoryOf(list.slice(0, 2))
  expect(ask(2, equals)).toEqual([2, 1])
  for (const unwell of list.slice(1, 2)) breakCircuit(health, unwell)
  expect(ask(2, equals)).toEqual([1, 2])
})

test('while a higher priority is unwell or fails, the preferred channel is still the first of its own', () => {
  const list = [channel(1, 5, 0), channel(2, 0, 0), channel(3, 0, 0), channel(4, 0, 0), channel(5, -1, 0)]
  const health = new ChannelHealth()
  const ask = () =>
    route(CALLER, 'm', { directory: directoryOf(list), health, preferredId: 4, random: first }).channels.map(
      ({ id }) => id,
    )
  expect(ask()).toEqual([1, 4, 2, 3, 5])
  for (const unwell of list.slice(0, 1)) breakCircuit(health, unwell)
  expect(ask()).toEqual([4, 2, 3, 5, 1])
})

test('when all are unwell those of the highest priority that may be asked share the chance, and none at its limit has one', () => {
  const full = { ...channel(1, 9, 0), limits: { concurrency: 1 } }
  const list = [full, channel(2, 5, 0), channel(3, 5, 20), channel(4, 0, 0)]
  const health = new ChannelHealth()
  health.visit(full)
  for (const unwell of list.slice(1)) breakCircuit(health, unwell)
  const { candidates } = route(CALLER, 'm', { directory: directoryOf(list), health, random: first })
  const chances = chancesOf(candidates)
  expect(new Map(candidates.map(({ channel: { id } }, index) => [id, chances[index]]))).toEqual(
    new Map([
      [1, 0],
      [2, 0.25],
      [3, 0.75],
      [4, 0],
    ]),
  )
})

test('the keys of a channel stand together, resting ones only when there is no other', () => {
  const views = ['a', 'b', 'c'].map(key => viewOf(1, key))
  const several = { ...channel(1, 0, 0), views }
  const health = new ChannelHealth()
  const keys = () =>
    route(CALLER, 'm', { directory: directoryOf([several, channel(2, -1, 0)]), health, random: first })
      .channels.filter(({ id }) => id === 1)
      .map(({ view }) => view.key)
  expect(keys()).toEqual(['a', 'b', 'c'])
  const refuse = (key: string) =>
    health.learn(
      { ...several, view: viewOf(1, key) },
      { status: 401, code: 'c', message: 'm', isKeyDead: true },
    )
  refuse('b')
  expect(keys()).toEqual(['a', 'c'])
  refuse('a')
  refuse('c')
  expect(keys()).toEqual(['a', 'b', 'c'])
})

/** Calls under way of which nothing was heard. */
const leaveWaiting = (health: ChannelHealth, asked: RoutedChannel, count: number): void => {
  for (let left = count; left > 0; left -= 1) {
    const visit = health.visit(asked)
    if (typeof visit !== 'string') visit.ask('stream')
  }
}

test('a channel never heard of comes after its equals while five calls wait for it, but before a lower priority', () => {
  const list = [channel(1, 5, 0), channel(2, 5, 0), channel(3, 0, 0)]
  const health = new ChannelHealth()
  for (const unheard of list.slice(0, 1)) leaveWaiting(health, unheard, 5)
  const trial = route(CALLER, 'm', { directory: directoryOf(list), health, random: first })
  expect(trial.candidates.map(({ channel: { id }, obstacle }) => [id, obstacle])).toEqual([
    [2, undefined],
    [1, 'not heard yet'],
    [3, undefined],
  ])
  expect(chancesOf(trial.candidates)).toEqual([1, 0, 0])
  const highest = route(CALLER, 'm', {
    directory: directoryOf([list[0], list[2]].flatMap(one => one ?? [])),
    health,
  })
  expect(highest.channels.map(({ id }) => id)).toEqual([1, 3])
  expect(chancesOf(highest.candidates)).toEqual([1, 0])
})

test('of many that are decided at once those that are asked later see what the first began', () => {
  const list = [channel(1, 0, 0), channel(2, 0, 0)]
  const health = new ChannelHealth()
  const trial = route(CALLER, 'm', { directory: directoryOf(list), health, random: first })
  expect(asOfNow(trial, health)).toBe(trial)
  for (const unheard of list.slice(0, 1)) leaveWaiting(health, unheard, 5)
  expect(asOfNow(trial, health).channels.map(({ id }) => id)).toEqual([2, 1])
})

test('a silent channel is asked all the same when it is the only one', () => {
  const only = channel(1, 0, 0)
  const health = new ChannelHealth()
  leaveWaiting(health, only, 50)
  const trial = route(CALLER, 'm', { directory: directoryOf([only]), health })
  expect(trial.channels.map(({ id }) => id)).toEqual([1])
})
