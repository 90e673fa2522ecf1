import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { orderOfTrial } from './route.ts'
import type { RoutedChannel } from './routed-channel.ts'

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
  view: { id, key: 'k', baseUrl: '', other: '', organization: '', setting: {} },
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
