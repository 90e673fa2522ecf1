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

/** How many of so many calls pass. */
async function passing(count: number, call: () => Promise<Response>): Promise<number> {
  let passed = 0
  for (let i = 0; i < count; i += 1) if ((await call()).status !== 429) passed += 1
  return passed
}
const status = (client: TestClient, address = ADDRESS) => client.fetch('/api/status', {}, address)
const critical = (path: string, address = ADDRESS) => app.visitor.fetch(path, {}, address)

describe('calls', () => {
  test('of an address are 180 in three minutes, and then wait as long as the answer says', async () => {
    expect(await passing(200, () => status(app.visitor))).toBe(180)
    const refused = await status(app.visitor)
    expect(await refused.json()).toMatchObject({ success: false, code: 'rate.too_often' })
    const seconds = Number(refused.headers.get('retry-after'))
    expect(seconds).toBeWithin(175, 184)
    now += seconds * 1000
    expect((await status(app.visitor)).status).toBe(200)
  })

  test('of whoever is signed in are counted by user, not by address', async () => {
    const anna = await app.addUser({ username: 'anna' })
    const bert = await app.addUser({ username: 'bert' })
    await passing(200, () => status(app.visitor))
    const self = (client: TestClient) => () => client.fetch('/api/user/self', {}, ADDRESS)
    expect(await passing(200, self(anna))).toBe(180)
    expect(await passing(1, self(bert))).toBe(1)
  })

  test('with a wrong session or access token count for their address', async () => {
    const guess = () => app.visitor.fetch('/api/user/self', { headers: { authorization: 'guess' } }, ADDRESS)
    expect(await passing(200, guess)).toBe(180)
    expect((await status(app.visitor)).status).toBe(429)
  })

  test('that are not permitted count too', async () => {
    const anna = await app.addUser({ username: 'anna' })
    expect(await passing(200, () => anna.fetch('/api/option/', {}, ADDRESS))).toBe(180)
  })

  test('of one customer of IPv6 count together, and of this machine not at all', async () => {
    let hosts = 0
    const next = () => {
      hosts += 1
      return status(app.visitor, `2001:db8:1:2::${hosts.toString(16)}`)
    }
    expect(await passing(200, next)).toBe(180)
    expect((await status(app.visitor, '2001:db8:1:3::1')).status).toBe(200)
    expect(await passing(200, () => status(app.visitor, '127.0.0.1'))).toBe(200)
  })
})

test('critical calls of an address are 20 in twenty minutes, all kinds together', async () => {
  expect(await passing(10, () => critical('/api/oauth/state'))).toBe(10)
  const signIn = () =>
    app.visitor.fetch(
      '/api/user/login',
      { method: 'POST', body: '{"username":"root","password":"a good password"}' },
      ADDRESS,
    )
  expect(await passing(15, signIn)).toBe(10)
  for (const path of ['/api/verification?email=a@example.org', '/api/oauth/github?code=1&state=2'])
    expect((await critical(path)).status).toBe(429)
  expect((await status(app.visitor)).status).toBe(200)
  expect((await critical('/api/oauth/state', '203.0.113.8')).status).toBe(200)
  now += 21 * 60_000
  expect((await critical('/api/oauth/state')).status).toBe(200)
})

test('pages are 60 in three minutes for an address, and files are not counted', async () => {
  const get = (path: string) => () => app.visitor.fetch(path, {}, ADDRESS)
  expect(await passing(80, get('/assets/a-1.js'))).toBe(80)
  expect(await passing(80, get('/token'))).toBe(60)
  const refused = await get('/token')()
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await refused.text()).toContain('too many requests')
})
