import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { AnyEndpoint } from '#contract/endpoint.ts'
import { createToken, searchTokens } from '#contract/entities/token.ts'
import * as channelCalls from '#features/channels/contract/channel-endpoints.ts'
import {
  getLogFacets,
  getLogHistogram,
  getLogStat,
  listLogs,
  listSelfLogs,
  searchLogs,
} from '#features/logs/contract/logs.ts'
import { createRedemptions, searchRedemptions } from '#features/redemption-codes/contract.ts'
import { searchUsers } from '#features/users/contract.ts'
import { inTransaction } from '#server/db/engine/database.ts'
import { addToUsageHours } from '#server/db/usage/usage-hours.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'

const QUICK_MS = 1000
const ROWS = 2000
/** The longest model name allowed, and the worst case for a pattern with many wildcards. */
const ALIKE = 'a'.repeat(255)
const HOUR = 1_700_000_400 - (1_700_000_400 % 3600)

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
  await app.root.call(createToken, { body: { name: 'a'.repeat(30), unlimited_quota: true } })
  await app.root.call(createToken, { body: { name: 'discount 100%', unlimited_quota: true } })
  await app.root.call(createRedemptions, { body: { name: 'a'.repeat(20), quota: 1, count: 100 } })
  const channel = {
    type: 1,
    name: 'a'.repeat(100),
    key: Array.from({ length: 200 }, (_, i) => `k${i}`).join('\n'),
  }
  await app.root.call(channelCalls.createChannels, { body: { ...channel, models: ALIKE, group: 'default' } })
  await addLogs()
})
afterAll(() => app.close())

async function addLogs(): Promise<void> {
  const row = {
    user_id: app.root.id,
    created_at: HOUR,
    type: 2,
    username: 'root',
    token_id: 1,
    token_name: 'x',
    model_name: ALIKE,
    channel_id: 1,
    group: 'default',
    quota: 1,
    prompt_tokens: 1,
    completion_tokens: 1,
    use_time: 1,
    is_stream: 0,
    content: 'a'.repeat(500),
  } as const
  const { use_time: _, is_stream, content, created_at, username, token_name, ...shared } = row
  await inTransaction(app.db, async tx => {
    for (let index = 0; index < ROWS; index += 1) {
      await tx
        .insertInto('logs')
        .values({ ...row, request_id: `r${index}` })
        .execute()
      await addToUsageHours(tx, [{ ...shared, hour: HOUR + index * 3600, count: 1 }])
    }
  })
}

const SEARCHES: readonly (readonly [AnyEndpoint, string])[] = [
  [searchUsers, 'keyword'],
  [channelCalls.searchChannels, 'keyword'],
  [channelCalls.searchChannels, 'model'],
  [channelCalls.searchChannels, 'group'],
  [searchTokens, 'keyword'],
  [searchTokens, 'token'],
  [searchRedemptions, 'keyword'],
  [searchLogs, 'keyword'],
  [listLogs, 'model_name'],
  [listLogs, 'username'],
  [listLogs, 'token_name'],
  [listSelfLogs, 'model_name'],
  [getLogStat, 'model_name'],
  [getLogFacets, 'model_name'],
  [getLogHistogram, 'model_name'],
]

const BOMBS: readonly string[] = [
  '%'.repeat(1000),
  '_'.repeat(1000),
  '%_'.repeat(400),
  `${'%a'.repeat(300)}b`,
  `${'%a_'.repeat(200)}b`,
  `${'a%'.repeat(300)}b`,
  `%${'a'.repeat(120)}%${'a'.repeat(120)}%b`,
  '\\'.repeat(500),
  `${'\\%'.repeat(300)}`,
  `${'%a,'.repeat(300)}b`,
  '[a-z]*'.repeat(100),
  '(a+)+$'.repeat(50),
]

describe('patterns that make a search backtrack', () => {
  for (const [endpoint, field] of SEARCHES)
    test(`${endpoint.path} responds at once for \`${field}\``, async () => {
      for (const bomb of BOMBS) {
        const startedMs = performance.now()
        const response = await app.root.call(endpoint, { query: { [field]: bomb } })
        expect([bomb.slice(0, 20), performance.now() - startedMs < QUICK_MS]).toEqual([
          bomb.slice(0, 20),
          true,
        ])
        expect(response.status).toBe(200)
      }
    })
})

test('treats pattern characters as ordinary characters in searches', async () => {
  const names = async (keyword: string) =>
    (await app.root.call(searchTokens, { query: { keyword } })).data.map(token => token.name)
  expect(await names('100%')).toEqual(['discount 100%'])
  for (const keyword of ['%', '_', '1__%', 'd%t', '\\'])
    expect((await names(keyword)).length).toBeLessThanOrEqual(1)
  expect(await names('d%t')).toEqual([])
})

test('treats SQL in texts as plain text', async () => {
  for (const keyword of [
    "' or '1'='1",
    "'; drop table users; --",
    '" or 1=1 --',
    "\\'; select 1",
    '$1',
    '?',
    ':a',
  ])
    for (const [endpoint, field] of SEARCHES) {
      const { success } = await app.root.call(endpoint, { query: { [field]: keyword } })
      expect([endpoint.path, field, success]).toEqual([endpoint.path, field, true])
    }
  expect((await app.root.call(searchUsers, { query: { keyword: "' or '1'='1" } })).data).toMatchObject({
    total: 0,
  })
})
