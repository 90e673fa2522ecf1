import { expect, test } from 'bun:test'
import { COST_MS_MAX, measureAttacks } from './attacks/measure-attacks.ts'
import { MINUTE_MS_MAX } from './attacks/measure-minutes.ts'

const CALLS_MIN = 120
const UNAUTHORIZED = 401

test('no call of a user without money takes the main thread for more than 20 ms, and no kind 2 s in a minute', async () => {
  const costs = await measureAttacks()
  expect(costs.filter(({ ms }) => ms > COST_MS_MAX)).toEqual([])
  expect(costs.filter(({ minuteMs }) => minuteMs > MINUTE_MS_MAX)).toEqual([])
  expect(costs.length).toBeGreaterThan(CALLS_MIN)
  // A call that nobody admits would measure nothing.
  expect(costs.filter(({ status }) => status >= 500 || status === UNAUTHORIZED)).toEqual([])
})
