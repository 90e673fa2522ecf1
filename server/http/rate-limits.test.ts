import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { setClock } from '../core/clock.ts'
import { openTestApp, type TestApp } from '../testing/open-test-app.ts'
import type { TestClient } from '../testing/test-client.ts'

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

describe('management calls', () => {
  test('of an address are limited to 180 in three minutes, and retry-after says when to retry', async () => {
    expect(await countAllowed(200, () => status(app.visitor))).toBe(180)
    const rejected = await status(app.visitor)
    expect(await rejected.json()).toMatchObject({ success: false, code: 'rate.too_often' })
    const seconds = Number(rejected.headers.get('retry-after'))
    expect(seconds).toBeWithin(175, 184)
    now += seconds * 1000
    expect((await status(app.visitor)).status).toBe(200)
  })

  test('of signed-in users are counted by user, not by address', async () => {
    const anna = await app.addUser({ username: 'anna' })
    const bert = await app.addUser({ username: 'bert' })
    await countAllowed(200, () => status(app.visitor))
    const self = (client: TestClient) => () => client.fetch('/api/user/self', {}, ADDRESS)
    expect(await countAllowed(200, self(anna))).toBe(180)
    expect(await countAllowed(1, self(bert))).toBe(1)
  })

  test('with an invalid session or access token are counted by address', async () => {
    const guess = () => app.visitor.fetch('/api/user/self', { headers: { authorization: 'guess' } }, ADDRESS)
    expect(await countAllowed(200, guess)).toBe(180)
    expect((await status(app.visitor)).status).toBe(429)
  })

  test('without permission are counted too', async () => {
    const anna = await app.addUser({ username: 'anna' })
    expect(await countAllowed(200, () => anna.fetch('/api/option/', {}, ADDRESS))).toBe(180)
  })

  test('of one IPv6 network are counted together, and those of this machine are not counted', async () => {
    let hosts = 0
    const next = () => {
      hosts += 1
      return status(app.visitor, `2001:db8:1:2::${hosts.toString(16)}`)
    }
    expect(await countAllowed(200, next)).toBe(180)
    expect((await status(app.visitor, '2001:db8:1:3::1')).status).toBe(200)
    expect(await countAllowed(200, () => status(app.visitor, '127.0.0.1'))).toBe(200)
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

test('pages are limited to 60 in three minutes for an address, and files are not counted', async () => {
  const get = (path: string) => () => app.visitor.fetch(path, {}, ADDRESS)
  expect(await countAllowed(80, get('/assets/a-1.js'))).toBe(80)
  expect(await countAllowed(80, get('/token'))).toBe(60)
  const rejected = await get('/token')()
  expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await rejected.text()).toContain('too many requests')
})
