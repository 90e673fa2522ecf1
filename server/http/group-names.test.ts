import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createChannels } from '#features/channels/contract/channel-endpoints.ts'
import { loadRoutes, openTestApp, type TestApp } from '../testing/open-test-app.ts'

const HIDDEN = 'hidden-group'
const routes = await loadRoutes()
const readable = (roles: readonly string[]): readonly string[] =>
  routes
    .map(({ endpoint }) => endpoint)
    .filter(({ method, role }) => method === 'GET' && roles.includes(role))
    .map(({ path }) => path.replace(/:\w+/g, '1'))

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
  const options = {
    ModelRatio: { a: 1, b: 1 },
    GroupRatio: { default: 1, vip: 0.5, [HIDDEN]: 2 },
    UserUsableGroups: { default: 'everybody' },
  }
  const body = Object.entries(options).map(([key, value]) => ({ key, value: JSON.stringify(value) }))
  await app.root.fetch('/api/option/', { method: 'PUT', body: JSON.stringify(body) })
  for (const [models, group] of [
    ['a', `default,${HIDDEN}`],
    ['b', HIDDEN],
  ] as const)
    await app.root.call(createChannels, { body: { type: 1, name: models, key: 'k', models, group } })
})
afterAll(() => app.close())

test('no call of a visitor names a group that visitors may not use', async () => {
  const paths = readable(['visitor'])
  expect(paths).toContain('/api/pricing')
  for (const path of paths) {
    const text = await (await app.visitor.fetch(path)).text()
    expect({ path, isNamed: text.includes(HIDDEN) }).toEqual({ path, isNamed: false })
  }
})

test("no call of a user names a group that is neither public nor the user's own", async () => {
  const paths = readable(['visitor', 'user'])
  expect(paths.length).toBeGreaterThan(20)
  const anna = await app.addUser({ username: 'anna', group: 'vip' })
  for (const path of paths) {
    const text = await (await anna.fetch(path)).text()
    expect({ path, isNamed: text.includes(HIDDEN) }).toEqual({ path, isNamed: false })
  }
})
