import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { AnyEndpoint } from '#contract/endpoint.ts'
import { createToken } from '#contract/entities/token.ts'
import { getSelf } from '#contract/entities/user.ts'
import { ROLE } from '#contract/enums.ts'
import { putOptions } from '#contract/options/options.ts'
import { setClock } from '../core/clock.ts'
import { createLocalRateLimiter } from '../core/rate-limit.ts'
import { ProcessorBudget } from '../relay/admission/processor-budget.ts'
import { openTestApp, type TestApp } from '../testing/open-test-app.ts'
import type { TestClient } from '../testing/test-client.ts'
import { CallLimits } from './rate-limits.ts'

const ADDRESS = '203.0.113.7'
const files = new Map([
  ['/index.html', new TextEncoder().encode('<!doctype html>')],
  ['/assets/a-1.js', new TextEncoder().encode('1')],
])

let app: TestApp
let now: number
let restore: () => void
beforeEach(async () => {
  now = Date.now()
  restore = setClock({ nowMs: () => now, elapsedMs: () => now })
  app = await openTestApp({ files })
})
afterEach(async () => {
  restore()
  await app.close()
})

/** Makes `count` calls and returns how many are within the limit. */
async function countAllowed(count: number, call: () => Promise<Response>): Promise<number> {
  let allowed = 0
  for (let i = 0; i < count; i += 1) if ((await call()).status !== 429) allowed += 1
  return allowed
}
const status = (client: TestClient, address = ADDRESS) => client.fetch('/api/status', {}, address)
const critical = (path: string, address = ADDRESS) => app.visitor.fetch(path, {}, address)
const get = (client: TestClient, path: string) => () => client.fetch(path, {}, ADDRESS)
const write = (client: TestClient) => () =>
  client.fetch('/api/token/', { method: 'PUT', body: '{}' }, ADDRESS)
const setOptions = (values: Readonly<Record<string, string>>) =>
  app.root.call(putOptions, { body: Object.entries(values).map(([key, value]) => ({ key, value })) })

describe('pages, files and reads of those who are signed in', () => {
  test('are not limited, however fast somebody clicks', async () => {
    const anna = await app.addUser({ username: 'anna' })
    for (const path of [
      '/assets/a-1.js',
      '/token',
      '/api/user/self',
      '/api/token/',
      '/api/start',
      '/api/pricing',
    ])
      expect([path, await countAllowed(90, get(anna, path))]).toEqual([path, 90])
  })

  test('are free for an office behind one address after visitors have spent its budget', async () => {
    const anna = await app.addUser({ username: 'anna' })
    expect(await countAllowed(700, () => status(app.visitor))).toBe(600)
    expect((await get(app.visitor, '/login')()).status).toBe(200)
    expect((await get(anna, '/api/start')()).status).toBe(200)
  })
})

describe('the budget of a user', () => {
  beforeEach(async () => {
    await setOptions({ CallBudgetPerMinute: '120' })
  })

  test.each([
    ['/api/log/self/export', 2],
    ['/api/log/self/facets', 30],
    ['/api/log/self/stat', 30],
    ['/api/data/self', 30],
    ['/api/token/search?keyword=a', 30],
    ['/api/log/self', 30],
  ])('admits %s %d times at once', async (path, times) => {
    const anna = await app.addUser({ username: 'anna' })
    expect(await countAllowed(times + 3, get(anna, path))).toBe(times)
    now += 100
    expect((await get(anna, '/api/user/self')()).status).toBe(200)
  })

  test('pays for writes of all kinds, and retry-after is exact', async () => {
    const anna = await app.addUser({ username: 'anna' })
    expect(await countAllowed(70, write(anna))).toBe(60)
    const rejected = await get(anna, '/api/log/self/export')()
    expect(await rejected.json()).toMatchObject({ success: false, code: 'rate.too_often' })
    expect(rejected.headers.get('retry-after')).toBe('30')
    now += 29_000
    expect((await get(anna, '/api/log/self/export')()).status).toBe(429)
    now += 1_000
    expect((await get(anna, '/api/log/self/export')()).status).toBe(200)
  })

  test('is counted by user, not by address', async () => {
    const anna = await app.addUser({ username: 'anna' })
    const bert = await app.addUser({ username: 'bert' })
    expect(await countAllowed(70, write(anna))).toBe(60)
    expect(await countAllowed(1, write(bert))).toBe(1)
  })

  test('is larger for a user with a factor, and unaffected by names of object members', async () => {
    await setOptions({ CallBudgetFactors: '{"deploy": 2}' })
    expect(await countAllowed(130, write(await app.addUser({ username: 'deploy' })))).toBe(120)
    expect(await countAllowed(130, write(await app.addUser({ username: 'constructor' })))).toBe(60)
  })

  test('is five times as large for administrators, and pays for tests of channels', async () => {
    const admin = await app.addUser({ username: 'admin', role: 'admin' })
    expect(await countAllowed(35, get(admin, '/api/channel/test/1'))).toBe(30)
  })
})

describe('the budget of a network', () => {
  test('pays for calls of its visitors, and refills evenly', async () => {
    expect(await countAllowed(700, () => status(app.visitor))).toBe(600)
    now += 1_000
    expect(await countAllowed(20, () => status(app.visitor))).toBe(10)
  })

  test('pays for calls with an invalid session or access token', async () => {
    const guess = () => app.visitor.fetch('/api/user/self', { headers: { authorization: 'guess' } }, ADDRESS)
    expect(await countAllowed(620, guess)).toBe(600)
    expect((await status(app.visitor)).status).toBe(429)
  })

  test('pays for calls without permission', async () => {
    const anna = await app.addUser({ username: 'anna' })
    expect(await countAllowed(620, get(anna, '/api/option/'))).toBe(600)
  })

  test('is shared by an IPv6 network, and this machine needs none', async () => {
    let hosts = 0
    const next = () => {
      hosts += 1
      return status(app.visitor, `2001:db8:1:2::${hosts.toString(16)}`)
    }
    expect(await countAllowed(620, next)).toBe(600)
    expect((await status(app.visitor, '2001:db8:1:3::1')).status).toBe(200)
    expect(await countAllowed(620, () => status(app.visitor, '127.0.0.1'))).toBe(620)
  })
})

const RESET = '/api/reset_password?email=a@example.org'

test('critical calls of an address are limited to 20 in twenty minutes for all endpoints together', async () => {
  expect(await countAllowed(10, () => critical(RESET))).toBe(10)
  const join = () =>
    app.visitor.fetch('/api/user/register', { method: 'POST', body: '{"username":"anna"}' }, ADDRESS)
  expect(await countAllowed(15, join)).toBe(10)
  for (const path of ['/api/verification?email=a@example.org', '/api/oauth/wechat?code=1'])
    expect((await critical(path)).status).toBe(429)
  expect((await status(app.visitor)).status).toBe(200)
  expect((await critical(RESET, '203.0.113.8')).status).toBe(200)
  now += 21 * 60_000
  expect((await critical(RESET)).status).toBe(200)
})

function openLimits() {
  const processorBudget = new ProcessorBudget()
  const deps = { rateLimiter: createLocalRateLimiter(), processorBudget }
  const limits = new CallLimits(deps, () => app.settings.current().values)
  const call = (endpoint: AnyEndpoint) => (role: number) =>
    limits.takeCall(endpoint, { caller: { id: role, username: 'x', role }, address: ADDRESS })
  return { read: call(getSelf), write: call(createToken), processorBudget }
}

describe('what users without rights send and read', () => {
  test('a body costs a point for each 4 KiB before it is parsed, those of administrators do not', async () => {
    await setOptions({ CallBudgetPerMinute: '100' })
    const body = JSON.stringify({ name: 'x'.repeat(99 * 1024) })
    const send = (client: TestClient) => () => client.fetch('/api/token/', { method: 'PUT', body }, ADDRESS)
    const users = [
      await app.addUser({ username: 'anna' }),
      await app.addUser({ username: 'boss', role: 'admin' }),
    ]
    const allowed = await Promise.all(users.map(client => countAllowed(90, send(client))))
    expect(allowed).toEqual([3, 90])
  })

  test('more reads than anybody clicks are rejected, those of administrators are not', async () => {
    const { read } = openLimits()
    for (let count = 0; count < 401; count += 1) await read(ROLE.user)
    await expect(read(ROLE.user)).rejects.toMatchObject({ code: 'rate.too_often' })
    for (let count = 0; count < 401; count += 1) await read(ROLE.admin)
  })

  test('what is free in the relay and what the management API reads and writes come from one budget', async () => {
    const { read, write: add, processorBudget } = openLimits()
    const poor = { userId: ROLE.user, walletUnits: 0 }
    processorBudget.spend(poor, 501)
    for (let count = 0; count < 100; count += 1) await read(ROLE.user)
    for (let count = 0; count < 75; count += 1) await add(ROLE.user)
    await expect(read(ROLE.user)).rejects.toMatchObject({ code: 'rate.too_often' })
    await expect(add(ROLE.user)).rejects.toMatchObject({ code: 'rate.too_often' })
    expect(() => processorBudget.require(poor)).toThrow('too much processor time')
    now += 1_000
    await read(ROLE.user)
    processorBudget.require(poor)
  })
})
