import { expect, test } from 'bun:test'
import { COST_MS_MAX, measureAttacks } from './attacks/measure-attacks.ts'

const CALLS_MIN = 120

test('no call of a user without money takes the main thread for more than 20 ms', async () => {
  const costs = await measureAttacks()
  expect(costs.filter(({ ms }) => ms > COST_MS_MAX)).toEqual([])
  expect(costs.length).toBeGreaterThan(CALLS_MIN)
  expect(costs.filter(({ status }) => status >= 500)).toEqual([])
})
