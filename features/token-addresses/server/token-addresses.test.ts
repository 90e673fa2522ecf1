import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createToken } from '#contract/entities/token.ts'
import { deleteSelf } from '#contract/entities/user.ts'
import { noopLogger } from '#server/core/logger.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import { describeTimeAhead } from '#server/testing/time-ahead.ts'
import { listTokenAddresses } from '../contract.ts'
import { AddressBook } from './address-book.ts'
import { listAddresses } from './queries.ts'

const DAY_MS = 86_400_000
let app: TestApp
let anna: TestClient
let book: AddressBook
const time = describeTimeAhead()
beforeEach(async () => {
  app = await openTestApp()
  anna = await app.addUser({ username: 'anna' })
  book = new AddressBook({ db: app.db, log: noopLogger })
})
afterEach(() => app.close())

const makeToken = async () =>
  (await anna.call(createToken, { body: { name: 'leaked', unlimited_quota: true } })).data.id

async function use(id: number, ...addresses: readonly string[]): Promise<void> {
  for (const address of addresses) book.add(id, address)
  await book.write()
}

const listed = async (client: TestClient, id: number) => {
  const { success, code, data } = await client.call(listTokenAddresses, { params: { id } })
  return success ? data.map(({ address }) => address) : code
}

describe('the addresses of a token', () => {
  test('are those of its requests, used last first, with first and last use', async () => {
    const [id, other] = [await makeToken(), await makeToken()]
    await use(id, '203.0.113.7')
    await use(other, '198.51.100.1')
    time.skippedMs = 3_600_000
    await use(id, '2001:db8::1', '203.0.113.7')
    time.skippedMs += 120_000
    await use(id, '203.0.113.7')
    expect(await listed(anna, id)).toEqual(['203.0.113.7', '2001:db8::1'])
    const { data } = await anna.call(listTokenAddresses, { params: { id } })
    expect((data[0]?.last_time ?? 0) - (data[0]?.first_time ?? 0)).toBeGreaterThanOrEqual(3_720)
    expect(data[1]?.last_time).toBe(data[1]?.first_time ?? 0)
  })

  test('are written at most once a minute, and each time anew after a failure', async () => {
    const id = await makeToken()
    await use(id, '203.0.113.7')
    time.skippedMs = 59_000
    await use(id, '203.0.113.7')
    const [first] = await listAddresses(app.db, id, 1)
    expect(first?.last_time).toBe(first?.first_time ?? 0)
    time.skippedMs = 61_000
    await use(id, '203.0.113.7')
    const [later] = await listAddresses(app.db, id, 1)
    expect((later?.last_time ?? 0) - (later?.first_time ?? 0)).toBeGreaterThanOrEqual(60)
  })

  test('are the last twenty, however many a client has', async () => {
    const id = await makeToken()
    for (let minute = 0; minute < 3; minute += 1) {
      time.skippedMs = minute * 60_000
      await use(id, ...Array.from({ length: 30 }, (_, host) => `10.0.${minute}.${host}`))
    }
    const addresses = await listAddresses(app.db, id, 1_000)
    expect(addresses).toHaveLength(20)
    expect(addresses.every(({ address }) => address.startsWith('10.0.2.'))).toBe(true)
  })

  test('are forgotten after ninety days without use, and with their owner', async () => {
    const [id, other] = [await makeToken(), await makeToken()]
    await use(id, '203.0.113.7')
    await use(other, '203.0.113.8')
    time.skippedMs = 89 * DAY_MS
    await use(other, '203.0.113.8')
    time.skippedMs = 91 * DAY_MS
    await use(other)
    expect(await listAddresses(app.db, id, 10)).toEqual([])
    expect(await listAddresses(app.db, other, 10)).toHaveLength(1)
    time.skippedMs = 0
    expect((await anna.call(deleteSelf, { body: { username: 'anna' } })).success).toBe(true)
    expect(await listAddresses(app.db, other, 10)).toEqual([])
  })

  test('are shown to the owner and to administrators of a higher role', async () => {
    const id = await makeToken()
    await use(id, '203.0.113.7')
    const bob = await app.addUser({ username: 'bob' })
    const admin = await app.addUser({ username: 'admin', role: 'admin' })
    for (const client of [anna, admin, app.root]) expect(await listed(client, id)).toEqual(['203.0.113.7'])
    const unknown = await listed(bob, 9_999)
    expect(unknown).toBe('token.unknown')
    expect(await listed(bob, id)).toBe(unknown)
    const { data: ofRoot } = await app.root.call(createToken, {
      body: { name: 'root', unlimited_quota: true },
    })
    expect(await listed(admin, ofRoot.id)).toBe('user.no_permission')
    expect(await listed(app.root, ofRoot.id)).toEqual([])
  })
})
