import { expect, test } from 'bun:test'
import { COST_MS_MAX, measureAttacks } from './attacks/measure-attacks.ts'
import { MINUTE_MS_MAX, measureMinutes } from './attacks/measure-minutes.ts'

const CALLS_MIN = 120
/** One of each kind that a budget stops, and one that only its rate does. `npm run bench -- attack` measures all. */
const IN_A_MINUTE = [
  'POST /suno/fetch',
  'POST /v1/messages/count_tokens, a megabyte of text',
  'POST /v1/responses/input_tokens, many numbers',
  'PUT /api/token/',
  'GET /api/user/self',
]

test('no call of a user without money takes the main thread for more than 20 ms', async () => {
  const costs = await measureAttacks()
  expect(costs.filter(({ ms }) => ms > COST_MS_MAX)).toEqual([])
  expect(costs.length).toBeGreaterThan(CALLS_MIN)
  expect(costs.filter(({ status }) => status >= 500)).toEqual([])
})

test('no user without money takes the main thread for more than 2 s in a minute', async () => {
  const costs = await measureMinutes(name => IN_A_MINUTE.includes(name))
  expect(costs.map(({ name }) => name).toSorted()).toEqual(IN_A_MINUTE.toSorted())
  expect(costs.filter(({ minuteMs }) => minuteMs > MINUTE_MS_MAX)).toEqual([])
})
