import { expect, test } from 'bun:test'
import { loadRoutes } from '#server/testing/open-test-app.ts'
import { actionName } from './action-names.ts'

const routes = await loadRoutes()
const recorded = routes
  .map(({ endpoint }) => endpoint)
  .filter(({ method, audit }) => (audit === undefined ? method !== 'GET' : audit !== 'none'))
  .map(({ method, path }) => `${method} ${path}`)

test('every recorded call of the management API has words in both languages', () => {
  expect(recorded.length).toBeGreaterThan(100)
  expect(recorded.filter(action => actionName(action, 'en') === action)).toEqual([])
  expect(recorded.filter(action => !/\p{Script=Han}/u.test(actionName(action, 'zh')))).toEqual([])
})

test('an action without words is shown as it was recorded', () => {
  expect(actionName('tollgate import', 'zh')).toBe('tollgate import')
})
