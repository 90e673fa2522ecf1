import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  createToken,
  deleteToken,
  deleteTokens,
  getToken,
  listTokens,
  revealTokenKeys,
  searchTokens,
  type Token,
  type TokenDraft,
  updateToken,
  updateTokensBatch,
} from '#contract/entities/token.ts'
import { nowSeconds, setClock } from '#server/core/clock.ts'
import { storeTokenKey } from '#server/core/crypto.ts'
import { sameInBoth } from '#server/core/language.ts'
import { quota } from '#server/core/money.ts'
import { inTransaction } from '#server/db/engine/database.ts'
import { setTokenLimit } from '#server/ledger/adjust.ts'
import { auditLedger } from '#server/ledger/audit.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import { updateTokenStatuses } from './queries.ts'

let app: TestApp
let anna: TestClient
beforeEach(async () => {
  app = await openTestApp()
  anna = await app.addUser({ username: 'anna', quota: 1000 })
})
afterEach(() => app.close())

const make = async (draft: Partial<TokenDraft> = {}, client = anna): Promise<Token> =>
  (await client.call(createToken, { body: { name: 'one', remain_quota: 500, ...draft } })).data

const postings = () => app.db.selectFrom('postings').selectAll().where('kind', '=', 'limit').execute()

describe('200', () => {
  test('returns a new token with its key of 48 letters and digits', async () => {
    const token = await make({ name: ' one ' })
    expect(token).toMatchObject({
      name: 'one',
      status: 1,
      remain_quota: 500,
      expired_time: -1,
      used_quota: 0,
    })
    expect(token.key).toMatch(/^[A-Za-z0-9]{48}$/)
    expect((await anna.call(getToken, { params: { id: token.id } })).data).toEqual(token)
  })

  test('stores request limits, 0 by default, and updates them', async () => {
    const { id, ...made } = await make()
    expect(made).toMatchObject({ max_concurrency: 0, requests_per_minute: 0 })
    const change = { id, max_concurrency: 3, requests_per_minute: 60 }
    expect((await anna.call(updateToken, { body: change })).data).toMatchObject(change)
    expect((await anna.call(updateToken, { body: { id, name: 'same limits' } })).data).toMatchObject(change)
  })

  test('stores what happens to service tiers and server tools, allowed by default', async () => {
    const { id, ...made } = await make()
    expect(made).toMatchObject({ service_tier: 'allow', server_tools: 'allow' })
    const change = { id, service_tier: 'strip', server_tools: 'forbid' } as const
    expect((await anna.call(updateToken, { body: change })).data).toMatchObject(change)
    expect((await anna.call(updateToken, { body: { id, name: 'same rules' } })).data).toMatchObject(change)
    const response = await anna.fetch('/api/token/', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id, service_tier: 'nonsense' }),
    })
    expect((await response.json()).success).toBe(false)
  })

  test('reveals the keys that are known, and says when only the hash of a key was imported', async () => {
    const [known, hashed] = [await make(), await make({ name: 'imported' })]
    await app.db
      .updateTable('tokens')
      .set(storeTokenKey(app.secrets, { sha256: 'ab'.repeat(32) }))
      .where('id', '=', hashed.id)
      .execute()
    const reveal = (ids: number[]) => anna.call(revealTokenKeys, { body: { ids } })
    expect((await reveal([known.id, hashed.id])).data).toEqual([{ id: known.id, key: known.key }])
    expect((await reveal([hashed.id])).code).toBe('token.key_unknown')
    expect((await anna.call(getToken, { params: { id: hashed.id } })).data.key).toBe('')
  })

  test('encrypts the key in the database', async () => {
    const { key } = await make()
    expect(JSON.stringify(await app.db.selectFrom('tokens').selectAll().execute())).not.toContain(key)
  })

  test('posts the quota of a token and each change of it', async () => {
    const { id } = await make({ remain_quota: 500 })
    await anna.call(updateToken, { body: { id, remain_quota: 800 } })
    await anna.call(updateToken, { body: { id, remain_quota: 800, name: 'same limit' } })
    await anna.call(updateToken, { body: { id, remain_quota: 100 } })
    const moves = (await postings()).map(({ from_account, to_account, amount, token_id }) => [
      from_account,
      to_account,
      amount,
      token_id,
    ])
    expect(moves).toEqual([
      ['limits', 'token', 500, id],
      ['limits', 'token', 300, id],
      ['token', 'limits', 700, id],
    ])
  })

  test('lists newest first, pages from 0 and returns the total next to the array', async () => {
    for (const name of ['a', 'b', 'c']) await make({ name })
    const first = await anna.call(listTokens, { query: { p: 0, size: 2 } })
    expect(first.data.map(token => token.name)).toEqual(['c', 'b'])
    expect(first.envelope).toMatchObject({ total: 3, page: 0, page_size: 2 })
    const second = await anna.call(listTokens, { query: { p: 1, size: 2 } })
    expect(second.data.map(token => token.name)).toEqual(['a'])
  })

  test('filters lists and searches by status and group', async () => {
    await make({ name: 'good' })
    await make({ name: 'in vip', group: 'vip' })
    const { id } = await make({ name: 'off' })
    await anna.call(updateToken, { query: { status_only: '1' }, body: { id, status: 2 } })
    await make({ name: 'old', expired_time: nowSeconds() - 5 })
    await make({ name: 'spent', remain_quota: 0 })
    await make({ name: 'boundless', remain_quota: 0, unlimited_quota: true })
    for (const endpoint of [listTokens, searchTokens]) {
      const names = async (query: Record<string, string | number>) => {
        const { data, envelope } = await anna.call(endpoint, { query })
        expect(envelope.total).toBe(data.length)
        return data.map(token => token.name)
      }
      expect(await names({ status: 1 })).toEqual(['boundless', 'in vip', 'good'])
      expect(await names({ status: 2 })).toEqual(['off'])
      expect(await names({ status: 3 })).toEqual(['old'])
      expect(await names({ status: 4 })).toEqual(['spent'])
      expect(await names({ group: 'vip' })).toEqual(['in vip'])
      expect(await names({ group: 'vip', status: 2 })).toEqual([])
    }
  })

  test('reports exhausted and expired tokens before they are used', async () => {
    const { id } = await make({ expired_time: nowSeconds() - 5 })
    expect((await anna.call(getToken, { params: { id } })).data.status).toBe(3)
    const spent = await make({ remain_quota: 0 })
    expect(spent.status).toBe(4)
  })

  test('sorts by a column in both directions, with tokens that never expire last', async () => {
    const soon = nowSeconds() + 100
    await make({ name: 'b', remain_quota: 5, expired_time: soon })
    await make({ name: 'A', remain_quota: 9 })
    await make({ name: 'c', remain_quota: 7, expired_time: soon + 1 })
    const names = async (sort: string, order: string) =>
      (await anna.call(listTokens, { query: { sort, order } })).data.map(token => token.name)
    expect(await names('name', 'asc')).toEqual(['A', 'b', 'c'])
    expect(await names('remain_quota', 'desc')).toEqual(['A', 'c', 'b'])
    expect(await names('expired_time', 'asc')).toEqual(['b', 'c', 'A'])
    expect(await names('key_sealed', 'asc')).toEqual(['b', 'A', 'c'])
  })

  test('disables, enables and deletes several at once and reports each result', async () => {
    const good = await make({ name: 'good' })
    const old = await make({ name: 'old', expired_time: nowSeconds() - 5 })
    const bert = await app.addUser({ username: 'bert' })
    const foreign = await make({ name: 'not mine' }, bert)
    const ids = [good.id, old.id, foreign.id]
    const codes = async (status: 1 | 2) =>
      (await anna.call(updateTokensBatch, { body: { ids, status } })).data.map(row => row.code)
    expect(await codes(2)).toEqual(['', '', 'token.unknown'])
    expect(await codes(1)).toEqual(['', 'token.expired', 'token.unknown'])
    const { data } = await anna.call(deleteTokens, { body: { ids } })
    expect(data.map(row => row.success)).toEqual([true, true, false])
    expect((await anna.call(listTokens)).data).toEqual([])
    expect((await bert.call(listTokens)).data).toHaveLength(1)
  })

  test('returns an empty array', async () => {
    expect((await anna.call(listTokens)).data).toEqual([])
  })

  test('searches by part of the name and of the key', async () => {
    const { key } = await make({ name: 'Production' })
    await make({ name: 'production 100%' })
    await make({ name: 'test' })
    const names = async (query: object) =>
      (await anna.call(searchTokens, { query: { ...query } })).data.map(token => token.name)
    expect(await names({ keyword: 'product' })).toEqual(['production 100%', 'Production'])
    expect(await names({ keyword: '0%' })).toEqual(['production 100%'])
    expect(await names({ token: `sk-${key.slice(3, 20)}` })).toEqual(['Production'])
    expect(await names({ keyword: 'test', token: key })).toEqual([])
  })

  test('updates only the fields sent, and never the status', async () => {
    const { id } = await make({ group: 'vip', allow_ips: '10.0.0.1' })
    await anna.call(updateToken, { query: { status_only: 'true' }, body: { id, status: 2 } })
    const { data } = await anna.call(updateToken, {
      body: { id, status: 1, model_limits: ' gpt-4o, ,gpt-4o,o1 ' },
    })
    expect(data).toMatchObject({ status: 2, group: 'vip', allow_ips: '10.0.0.1', model_limits: 'gpt-4o,o1' })
  })

  test('treats null as absent', async () => {
    const { id } = await make({ group: 'vip' })
    const response = await anna.call(updateToken, { body: { id, name: 'two', group: null } })
    expect(response.data).toMatchObject({ name: 'two', group: 'vip' })
  })

  test('enables an expired token after its expiry was changed', async () => {
    const { id } = await make({ expired_time: nowSeconds() - 10 })
    await app.db.updateTable('tokens').set({ status: 3 }).where('id', '=', id).execute()
    const enable = () => anna.call(updateToken, { query: { status_only: '1' }, body: { id, status: 1 } })
    expect((await enable()).code).toBe('token.expired')
    await anna.call(updateToken, { body: { id, expired_time: -1 } })
    expect((await enable()).data.status).toBe(1)
  })

  test('enables an exhausted token after it got quota or became unlimited', async () => {
    const { id } = await make({ remain_quota: 0 })
    await app.db.updateTable('tokens').set({ status: 4 }).where('id', '=', id).execute()
    const enable = () => anna.call(updateToken, { query: { status_only: 'true' }, body: { id, status: 1 } })
    expect((await enable()).code).toBe('token.exhausted')
    await anna.call(updateToken, { body: { id, unlimited_quota: true } })
    expect((await enable()).data.status).toBe(1)
  })

  test('omits a deleted token everywhere', async () => {
    const { id, key } = await make()
    for (const path of [`/api/token/${id}/`]) {
      const response = await anna.fetch(path, { method: 'DELETE' })
      expect(await response.json()).toEqual({ success: true, message: '' })
    }
    expect((await anna.call(listTokens)).data).toEqual([])
    expect((await anna.call(searchTokens, { query: { token: key } })).data).toEqual([])
    expect((await anna.call(getToken, { params: { id } })).code).toBe('token.unknown')
    expect((await anna.call(deleteToken, { params: { id } })).code).toBe('token.unknown')
  })

  test('keeps concurrent spending when the name is updated', async () => {
    const { id } = await make({ remain_quota: 500 })
    const spent = { userId: anna.id, actorId: 0, reason: sameInBoth('spent'), requestId: '' }
    await inTransaction(app.db, tx => setTokenLimit(tx, { ...spent, tokenId: id, remain: quota(123) }))
    expect((await anna.call(updateToken, { body: { id, name: 'renamed' } })).data.remain_quota).toBe(123)
  })
})

describe('updating the quota of a token in use', () => {
  const spend = (tokenId: number, remain: number) => {
    const spent = { userId: anna.id, actorId: 0, reason: sameInBoth('spent'), requestId: '' }
    return inTransaction(app.db, tx => setTokenLimit(tx, { ...spent, tokenId, remain: quota(remain) }))
  }

  test.each([
    ['stays what it is where the edit leaves it', { remain_quota: 500, remain_quota_seen: 500 }, 123],
    ['grows by what was added', { remain_quota: 800, remain_quota_seen: 500 }, 423],
    ['shrinks by what was taken off', { remain_quota: 400, remain_quota_seen: 500 }, 23],
    ['is never less than nothing', { remain_quota: 100, remain_quota_seen: 500 }, 0],
    ['is what was sent where the caller does not say what was seen', { remain_quota: 500 }, 500],
  ])('%s', async (_, change, remain) => {
    const { id } = await make({ remain_quota: 500 })
    await spend(id, 123)
    const edited = await anna.call(updateToken, { body: { id, name: 'renamed', ...change } })
    expect(edited.data).toMatchObject({ name: 'renamed', remain_quota: remain })
    expect((await auditLedger(app.db)).drift).toBe(0)
  })
})

test('rejects a quota beyond two billion dollars in words', async () => {
  const limit = 1_000_000_000_000_000
  const { id } = (await anna.call(createToken, { body: { name: 'vast', remain_quota: limit } })).data
  const grow = (remain_quota_seen: number) =>
    anna.call(updateToken, { body: { id, name: 'vast', remain_quota: limit, remain_quota_seen } })
  expect((await grow(-(2 ** 53))).code).toBe('invalid_parameter')
  expect((await grow(-limit)).code).toBe('ledger.balance_too_large')
  expect((await grow(limit)).data.remain_quota).toBe(limit)
})

test('accepts a negative quota only when it is sent back unchanged', async () => {
  const { data } = await anna.call(createToken, { body: { name: 'deep', remain_quota: 5 } })
  await app.db.updateTable('tokens').set({ remain_quota: -5 }).where('id', '=', data.id).execute()
  const stands = (await anna.call(getToken, { params: { id: data.id } })).data
  const renamed = await anna.call(updateToken, { body: { ...stands, name: 'renamed' } })
  expect(renamed.data).toMatchObject({ name: 'renamed', remain_quota: -5 })
  const lower = await anna.call(updateToken, { body: { ...stands, remain_quota: -6 } })
  expect(lower.code).toBe('token.negative_quota')
})

test('a list of ids changes the statuses of its owner’s tokens only', async () => {
  const bert = await app.addUser({ username: 'bert' })
  const ids = [(await make()).id, (await make({}, bert)).id]
  expect(await updateTokenStatuses(app.db, { owner: anna, ids }, 2)).toBe(1)
  const rows = await app.db.selectFrom('tokens').select('status').orderBy('id').execute()
  expect(rows.map(({ status }) => status)).toEqual([2, 1])
})

describe('errors', () => {
  const errorCode = async (body: object) => (await anna.call(createToken, { body })).message

  test('names each invalid field', async () => {
    expect(await errorCode({})).toContain('name')
    expect(await errorCode({ name: 'x'.repeat(31) })).toContain('name: a name has at most 30 characters')
    expect(await errorCode({ name: 'x', remain_quota: -1 })).toContain('remain_quota')
    expect(await errorCode({ name: 'x', remain_quota: '5' })).toContain('remain_quota')
    expect(await errorCode({ name: 'x', allow_ips: '10.0.0.1\nnonsense' })).toContain('"nonsense"')
    expect(await errorCode({ name: 'x', group: 'nowhere' })).toContain('nowhere')
    expect((await anna.call(listTokens)).data).toEqual([])
  })

  test('reveals no key to a session that has not signed in recently', async () => {
    const { id } = await make()
    const restore = setClock({ nowMs: () => Date.now() + 601_000, elapsedMs: () => 0 })
    try {
      expect(await anna.call(revealTokenKeys, { body: { ids: [id] } })).toMatchObject({
        status: 403,
        code: 'auth.recent_sign_in_required',
      })
    } finally {
      restore()
    }
  })

  test('writes errors in Chinese unless English is requested', async () => {
    const { message } = await anna.call(createToken, {
      body: { name: '' },
      headers: { 'accept-language': 'zh-CN' },
    })
    expect(message).toBe('参数无效：name: 请输入名称')
  })

  test("rejects a group without a ratio, but not the owner's group", async () => {
    const svip = await app.addUser({ username: 'svip-user', group: 'svip' })
    expect((await make({ group: 'svip' }, svip)).group).toBe('svip')
    expect((await anna.call(createToken, { body: { name: 'x', group: 'svip' } })).code).toBe(
      'token.unknown_group',
    )
  })

  test('accepts only the statuses enabled and disabled', async () => {
    const { id } = await make()
    const response = await anna.call(updateToken, { query: { status_only: 'true' }, body: { id, status: 4 } })
    expect(response.code).toBe('token.unknown_status')
  })

  test('hides the tokens of other users, even from root', async () => {
    const { id } = await make()
    const responses = await Promise.all([
      app.root.call(getToken, { params: { id } }),
      app.root.call(updateToken, { body: { id, name: 'mine' } }),
      app.root.call(updateToken, { query: { status_only: 'true' }, body: { id, status: 2 } }),
      app.root.call(deleteToken, { params: { id } }),
    ])
    expect(responses.map(response => response.code)).toEqual(Array(4).fill('token.unknown'))
    expect((await app.root.call(listTokens)).data).toEqual([])
  })

  test('rejects an id that is not a number', async () => {
    const response = await anna.fetch('/api/token/abc')
    expect(await response.json()).toMatchObject({ success: false, code: 'invalid_parameter' })
  })
})
