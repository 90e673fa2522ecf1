import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { resetAccessTokenByPost } from '#contract/entities/user.ts'
import { USER_STATUS } from '#contract/enums.ts'
import { openTestApp, type TestApp } from '../testing/open-test-app.ts'
import type { TestClient } from '../testing/test-client.ts'
import { endWithAccess } from './end-with-access.ts'

let app: TestApp
let admin: TestClient
beforeEach(async () => {
  app = await openTestApp()
  admin = await app.addUser({ username: 'admin', role: 'root' })
})
afterEach(() => app.close())

const setAdmin = (columns: object) =>
  app.db.updateTable('users').set(columns).where('id', '=', admin.id).execute()

/** What ends a session: a sign-out elsewhere, a ban and the deletion of the account. */
const ENDS: Readonly<Record<string, () => Promise<unknown>>> = {
  'its session is deleted': () => app.db.deleteFrom('sessions').where('user_id', '=', admin.id).execute(),
  'its session expires': () =>
    app.db.updateTable('sessions').set({ expires_at: 5 }).where('user_id', '=', admin.id).execute(),
  'its user is banned': () => setAdmin({ status: USER_STATUS.banned }),
  'its user is deleted': () => setAdmin({ deleted_at: 5 }),
}
const ENDS_OF_TOKENS: Readonly<Record<string, () => Promise<unknown>>> = {
  'is made anew': () => setAdmin({ access_token_hash: 'another' }),
  'has a user who is banned': () => setAdmin({ status: USER_STATUS.banned }),
  'has a user who is deleted': () => setAdmin({ deleted_at: 5 }),
}

const readerOf = ({ body }: Response) => {
  if (!body) throw new Error('expected a body, found none')
  return body.getReader()
}

/** Of all rows, not of one object. */
const downloads = () =>
  app.routes
    .map(({ endpoint }) => endpoint)
    .filter(({ produces, path }) => produces === 'text/csv' && !path.includes(':'))
    .map(({ path }) => path)

async function accessTokenHeaders(): Promise<Record<string, string>> {
  const { data } = await admin.call(resetAccessTokenByPost)
  return { authorization: `Bearer ${data}`, cookie: '' }
}

test('every download that has begun breaks off when the session of its user ends', async () => {
  expect(downloads()).toContain('/api/log/self/export')
  for (const path of downloads()) {
    const reader = readerOf(await admin.fetch(path))
    expect([path, (await reader.read()).done]).toEqual([path, false])
    expect([path, app.openCalls.size]).toEqual([path, 1])
    await app.db.updateTable('sessions').set({ user_id: 0 }).where('user_id', '=', admin.id).execute()
    await app.openCalls.check()
    await expect(reader.read()).rejects.toThrow('the token or sign-in has ended')
    expect(app.openCalls.size).toBe(0)
    await app.db.updateTable('sessions').set({ user_id: admin.id }).where('user_id', '=', 0).execute()
  }
})

test.each(Object.entries(ENDS))('a download breaks off when %s', async (_, end) => {
  const reader = readerOf(await admin.fetch('/api/log/export'))
  await reader.read()
  await app.openCalls.check()
  expect(app.openCalls.size).toBe(1)
  await end()
  await app.openCalls.check()
  await expect(reader.read()).rejects.toThrow('the token or sign-in has ended')
})

test.each(Object.entries(ENDS_OF_TOKENS))(
  'a download breaks off when its access token %s',
  async (_, end) => {
    const reader = readerOf(await admin.fetch('/api/log/export', { headers: await accessTokenHeaders() }))
    await reader.read()
    await app.openCalls.check()
    expect(app.openCalls.size).toBe(1)
    await end()
    await app.openCalls.check()
    await expect(reader.read()).rejects.toThrow('the token or sign-in has ended')
  },
)

describe('what is open', () => {
  const text = (response: Response) => endWithAccess(response, CALLER, app.openCalls).text()

  test('is counted from the first read to the last', async () => {
    expect(await text(new Response('all of it'))).toBe('all of it')
    const unread = await admin.fetch('/api/log/export')
    expect(app.openCalls.size).toBe(0)
    const reader = readerOf(unread)
    await reader.read()
    expect(app.openCalls.size).toBe(1)
    await reader.cancel()
    expect(app.openCalls.size).toBe(0)
  })

  test('ends with an error of its source', async () => {
    const source = new ReadableStream<Uint8Array>({
      pull() {
        throw new Error('the storage failed')
      },
    })
    await expect(text(new Response(source))).rejects.toThrow('the storage failed')
    expect(app.openCalls.size).toBe(0)
  })

  test('does not include responses to HEAD', async () => {
    const response = await admin.fetch('/api/log/export', { method: 'HEAD' })
    expect([response.status, app.openCalls.size]).toEqual([200, 0])
  })

  test('passes a response without a body', async () => {
    const response = new Response(null, { status: 304 })
    expect(endWithAccess(response, CALLER, app.openCalls)).toBe(response)
  })
})

const CALLER = { credentialHash: 'of a session' }
