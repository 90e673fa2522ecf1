import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createToken } from '#contract/entities/token.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { addToUsageHours } from '#server/db/usage/usage-hours.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import { listTokenLogs } from '../contract/logs.ts'

let app: TestApp
let anna: TestClient
beforeEach(async () => {
  app = await openTestApp()
  anna = await app.addUser({ username: 'anna' })
})
afterEach(() => app.close())

const make = async () => (await anna.call(createToken, { body: { name: 'one' } })).data

const use = async (token_id: number, model_name: string) => {
  const at = nowSeconds()
  const shared = { user_id: anna.id, token_id, channel_id: 4, model_name, group: '', type: 2, quota: 5 }
  const tokens = { prompt_tokens: 1, completion_tokens: 1 }
  await addToUsageHours(app.db, [{ ...shared, ...tokens, hour: at - (at % 3600), count: 1 }])
  const row = { ...shared, ...tokens, created_at: at, request_id: model_name, username: 'anna' }
  await app.db
    .insertInto('logs')
    .values({ ...row, token_name: 'one', use_time: 1, is_stream: 0, content: '' })
    .execute()
}

test("lists a token's rows by its key, page by page, from any origin", async () => {
  const [one, other] = [await make(), await make()]
  for (const model of ['a', 'b', 'c']) await use(one.id, model)
  await use(other.id, 'x')
  const read = async (query: object) =>
    (await app.visitor.call(listTokenLogs, { query: { ...query } })).data.map(row => row.model_name)
  expect(await read({ key: `sk-${one.key}` })).toEqual(['c', 'b', 'a'])
  expect(await read({ key: one.key, page_size: 2, p: 2 })).toEqual(['a'])
  const response = await app.visitor.call(listTokenLogs, { query: { key: one.key } })
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.data[0]).toMatchObject({ channel: 0, channel_name: '' })
})

test('returns a full page when no page is requested', async () => {
  const { id, key } = await make()
  for (let row = 0; row < 12; row += 1) await use(id, `m${row}`)
  expect((await app.visitor.call(listTokenLogs, { query: { key } })).data).toHaveLength(12)
})

test('rejects unknown keys and keys of banned or deregistered users', async () => {
  const { key } = await make()
  const code = async (requested: string) =>
    (await app.visitor.call(listTokenLogs, { query: { key: requested } })).code
  for (const requested of ['', 'sk-', 'sk-unknown']) expect(await code(requested)).toBe('log.unknown_key')
  await app.db.updateTable('users').set({ status: 2 }).where('id', '=', anna.id).execute()
  expect(await code(key)).toBe('log.unknown_key')
  await app.db.updateTable('users').set({ status: 1, deleted_at: 1 }).where('id', '=', anna.id).execute()
  expect(await code(key)).toBe('log.unknown_key')
})
