import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createChannelDirectory, type RoutedChannel } from './channel-directory.ts'
import { ChannelHealth } from './channel-health.ts'
import { firstCallChances, planRoute, refreshPlan, sortByPriorityAndWeight } from './choose-route.ts'

const createView = (id: number, key: string) => ({
  id,
  key,
  baseUrl: '',
  other: '',
  organization: '',
  setting: {},
})

const createChannel = (id: number, priority: number, weight: number): RoutedChannel => ({
  id,
  name: `channel ${id}`,
  isEnabled: true,
  isDown: false,
  priority,
  weight,
  canBeDisabledAutomatically: true,
  models: ['m'],
  stoppedModels: new Set(),
  groups: ['default'],
  testModel: '',
  provider: { type: 1, name: 'Test', baseUrl: '', models: [] },
  view: createView(id, 'k'),
  views: [createView(id, 'k')],
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
  .map(list => list.map(({ priority, weight }, index) => createChannel(index + 1, priority, weight)))
const randomPoint = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

test('includes every channel exactly once', () => {
  fc.assert(
    fc.property(channels, randomPoint, (list, point) => {
      const ids = sortByPriorityAndWeight(list, () => point).map(({ id }) => id)
      expect(ids.toSorted((a, b) => a - b)).toEqual(list.map(({ id }) => id))
    }),
  )
})

test('never puts a lower priority before a higher one', () => {
  fc.assert(
    fc.property(channels, randomPoint, (list, point) => {
      const priorities = sortByPriorityAndWeight(list, () => point).map(({ priority }) => priority)
      expect(priorities).toEqual(priorities.toSorted((a, b) => b - a))
    }),
  )
})

test('draws the first channel of a priority in proportion to weight plus ten', () => {
  const tier = [createChannel(1, 0, 0), createChannel(2, 0, 30), createChannel(3, 0, 50)]
  const draws = 110_000
  const first = new Map<number, number>()
  for (let draw = 0; draw < draws; draw++) {
    const id = sortByPriorityAndWeight(tier, () => (draw + 0.5) / draws)[0]?.id ?? 0
    first.set(id, (first.get(id) ?? 0) + 1)
  }
  expect([...first.entries()]).toEqual([
    [1, 10_000],
    [2, 40_000],
    [3, 60_000],
  ])
})

const CALLER = { group: 'default', pinnedChannelId: undefined }
const alwaysFirst = () => 0

const breakCircuit = (health: ChannelHealth, broken: RoutedChannel): void => {
  for (let count = 0; count < 5; count += 1) {
    const call = health.beginCall(broken)
    if (typeof call !== 'string') call.end('failure')
  }
}

test('puts a channel with an open circuit last and states the reason', () => {
  const list = [createChannel(1, 9, 0), createChannel(2, 0, 0)]
  const health = new ChannelHealth()
  for (const broken of list.slice(0, 1)) breakCircuit(health, broken)
  const plan = planRoute(CALLER, 'm', {
    directory: createChannelDirectory(list),
    health,
    random: alwaysFirst,
  })
  expect(plan.channels.map(({ id }) => id)).toEqual([2, 1])
  expect(plan.candidates.map(({ skipReason }) => skipReason)).toEqual([undefined, 'circuit open'])
})

test('leaves out a channel at its limit and rejects the request when no other is left', () => {
  const busy = { ...createChannel(1, 9, 0), limits: { concurrency: 1 } }
  const health = new ChannelHealth()
  health.beginCall(busy)
  const both = planRoute(CALLER, 'm', {
    directory: createChannelDirectory([busy, createChannel(2, 0, 0)]),
    health,
  })
  expect(both.channels.map(({ id }) => id)).toEqual([2])
  expect(both.candidates.map(({ channel: { id }, skipReason }) => [id, skipReason])).toEqual([
    [2, undefined],
    [1, 'concurrency limit'],
  ])
  expect(() => planRoute(CALLER, 'm', { directory: createChannelDirectory([busy]), health })).toThrow(
    'every channel',
  )
})

test('puts the preferred channel first within its priority unless it is unhealthy', () => {
  const list = [createChannel(1, 0, 0), createChannel(2, 0, 0), createChannel(3, 5, 0)]
  const health = new ChannelHealth()
  const planIds = (preferredId: number, directory = createChannelDirectory(list)) =>
    planRoute(CALLER, 'm', { directory, health, preferredId, random: alwaysFirst }).channels.map(
      ({ id }) => id,
    )
  expect(planIds(2)).toEqual([3, 2, 1])
  const equals = createChannelDirectory(list.slice(0, 2))
  expect(planIds(2, equals)).toEqual([2, 1])
  for (const unhealthy of list.slice(1, 2)) breakCircuit(health, unhealthy)
  expect(planIds(2, equals)).toEqual([1, 2])
})

test('keeps the preferred channel first within its priority when a higher one is unhealthy', () => {
  const list = [
    createChannel(1, 5, 0),
    createChannel(2, 0, 0),
    createChannel(3, 0, 0),
    createChannel(4, 0, 0),
    createChannel(5, -1, 0),
  ]
  const health = new ChannelHealth()
  const planIds = () =>
    planRoute(CALLER, 'm', {
      directory: createChannelDirectory(list),
      health,
      preferredId: 4,
      random: alwaysFirst,
    }).channels.map(({ id }) => id)
  expect(planIds()).toEqual([1, 4, 2, 3, 5])
  for (const unhealthy of list.slice(0, 1)) breakCircuit(health, unhealthy)
  expect(planIds()).toEqual([4, 2, 3, 5, 1])
})

test('divides the chances among the callable channels of the highest priority when all are unhealthy', () => {
  const full = { ...createChannel(1, 9, 0), limits: { concurrency: 1 } }
  const list = [full, createChannel(2, 5, 0), createChannel(3, 5, 20), createChannel(4, 0, 0)]
  const health = new ChannelHealth()
  health.beginCall(full)
  for (const unhealthy of list.slice(1)) breakCircuit(health, unhealthy)
  const { candidates } = planRoute(CALLER, 'm', {
    directory: createChannelDirectory(list),
    health,
    random: alwaysFirst,
  })
  const chances = firstCallChances(candidates)
  expect(new Map(candidates.map(({ channel: { id } }, index) => [id, chances[index]]))).toEqual(
    new Map([
      [1, 0],
      [2, 0.25],
      [3, 0.75],
      [4, 0],
    ]),
  )
})

test('lists the keys of a channel in a row, those in cooldown only when all are', () => {
  const views = ['a', 'b', 'c'].map(key => createView(1, key))
  const several = { ...createChannel(1, 0, 0), views }
  const health = new ChannelHealth()
  const keys = () =>
    planRoute(CALLER, 'm', {
      directory: createChannelDirectory([several, createChannel(2, -1, 0)]),
      health,
      random: alwaysFirst,
    })
      .channels.filter(({ id }) => id === 1)
      .map(({ view }) => view.key)
  expect(keys()).toEqual(['a', 'b', 'c'])
  const revoke = (key: string) =>
    health.coolDown(
      { ...several, view: createView(1, key) },
      { status: 401, code: 'c', message: 'm', isKeyRevoked: true },
    )
  revoke('b')
  expect(keys()).toEqual(['a', 'c'])
  revoke('a')
  revoke('c')
  expect(keys()).toEqual(['a', 'b', 'c'])
})

/** Begins calls that never get a response. */
const beginPendingCalls = (health: ChannelHealth, channel: RoutedChannel, count: number): void => {
  for (let left = count; left > 0; left -= 1) {
    const call = health.beginCall(channel)
    if (typeof call !== 'string') call.markSent('stream')
  }
}

test('puts a channel without any response after its equals while five calls wait for it', () => {
  const list = [createChannel(1, 5, 0), createChannel(2, 5, 0), createChannel(3, 0, 0)]
  const health = new ChannelHealth()
  for (const unproven of list.slice(0, 1)) beginPendingCalls(health, unproven, 5)
  const plan = planRoute(CALLER, 'm', {
    directory: createChannelDirectory(list),
    health,
    random: alwaysFirst,
  })
  expect(plan.candidates.map(({ channel: { id }, skipReason }) => [id, skipReason])).toEqual([
    [2, undefined],
    [1, 'not heard yet'],
    [3, undefined],
  ])
  expect(firstCallChances(plan.candidates)).toEqual([1, 0, 0])
  const highest = planRoute(CALLER, 'm', {
    directory: createChannelDirectory([list[0], list[2]].flatMap(one => one ?? [])),
    health,
  })
  expect(highest.channels.map(({ id }) => id)).toEqual([1, 3])
  expect(firstCallChances(highest.candidates)).toEqual([1, 0])
})

test('plans again when calls of other requests have changed the health of the first channel', () => {
  const list = [createChannel(1, 0, 0), createChannel(2, 0, 0)]
  const health = new ChannelHealth()
  const plan = planRoute(CALLER, 'm', {
    directory: createChannelDirectory(list),
    health,
    random: alwaysFirst,
  })
  expect(refreshPlan(plan, health)).toBe(plan)
  for (const unproven of list.slice(0, 1)) beginPendingCalls(health, unproven, 5)
  expect(refreshPlan(plan, health).channels.map(({ id }) => id)).toEqual([2, 1])
})

test('counts calls that are being prepared against a channel without any response', () => {
  const list = [createChannel(1, 0, 0), createChannel(2, 0, 0)]
  const health = new ChannelHealth()
  const plan = () =>
    planRoute(CALLER, 'm', { directory: createChannelDirectory(list), health, random: alwaysFirst })
  const calls = Array.from({ length: 5 }, () => health.beginCall(createChannel(1, 0, 0)))
  expect(plan().channels.map(({ id }) => id)).toEqual([2, 1])
  for (const call of calls) if (typeof call !== 'string') call.end('unknown')
  expect(plan().channels.map(({ id }) => id)).toEqual([1, 2])
})

test('includes a stalled channel when it is the only one', () => {
  const only = createChannel(1, 0, 0)
  const health = new ChannelHealth()
  beginPendingCalls(health, only, 50)
  const plan = planRoute(CALLER, 'm', { directory: createChannelDirectory([only]), health })
  expect(plan.channels.map(({ id }) => id)).toEqual([1])
})
