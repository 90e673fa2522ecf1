import { Database as SqliteFile } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { z } from 'zod'
import {
  CHANNEL_KEY_PURPOSE,
  hashImportedKey,
  sha256,
  TOKEN_KEY_PURPOSE,
  verifyPassword,
} from '#server/core/crypto.ts'
import { findCallersByKeyHash } from '#server/db/accounts/tokens.ts'
import { auditLedger } from '#server/ledger/audit.ts'
import type { ImportReport } from '../../import-report.ts'
import type { ImportKind } from '../../import-source.ts'
import { openTestImport, type TestImport } from '../../testing/test-import.ts'
import { source } from './index.ts'

const FIXTURES = join(import.meta.dir, '..', '..', 'fixtures')
const UNITS_PER_DOLLAR = 500_000
/** The truth was measured then. */
const NOW = 1_795_567_400

/** What went into the database: LiteLLM hashes and encrypts it. */
const truth = z
  .object({
    saltKey: z.string(),
    users: z.array(z.object({ id: z.string(), password: z.string(), stored: z.string().optional() })),
    tokens: z.array(z.object({ key: z.string(), authenticate: z.enum(['must', 'must not']) })),
    channels: z.array(z.object({ id: z.string(), name: z.string(), key: z.string() })),
  })
  .parse(JSON.parse(readFileSync(join(FIXTURES, 'litellm.json'), 'utf8')))

let target: TestImport
beforeEach(async () => {
  target = await openTestImport()
})
afterEach(() => target.close())

/** The columns that the import reads, with rows of LiteLLM's own schema. */
const writeSource = (...statements: readonly string[]): string => target.writeSource('litellm', ...statements)
const writeConfig = (text: string): string => target.writeFile('config.yaml', text)

const run = (
  location: string,
  request: { saltKey?: string | undefined; isDryRun?: boolean; logsFrom?: number } = {},
) =>
  target.run(location, [source], {
    saltKey: truth.saltKey,
    variable: name => (name === 'OPENAI_API_KEY' ? 'sk-from-the-environment' : undefined),
    ...request,
  })

const numberIn = async (text: string): Promise<number> => {
  const { rows } = await sql.raw<{ n: number | null }>(`select (${text}) as n`).execute(target.db)
  return Number(rows[0]?.n ?? 0)
}
const rowsThere = (location: string, text: string): readonly Record<string, unknown>[] => {
  const file = new SqliteFile(location, { readonly: true })
  const rows = z.array(z.record(z.string(), z.unknown())).parse(file.query(text).all())
  file.close()
  return rows
}
const toUnits = (rows: readonly Record<string, unknown>[], column: string): number =>
  rows.reduce((sum, row) => sum + Math.round(Number(row[column] ?? 0) * UNITS_PER_DOLLAR), 0)

const remarks = (report: ImportReport, kind: ImportKind, list: 'skipped' | 'questions') =>
  (report.tables.get(kind)?.[list].rows ?? []).map(({ row, reason }) => `${row}: ${reason}`)
const channelNamed = (name: string) =>
  target.db.selectFrom('channels').selectAll().where('name', '=', name).executeTakeFirstOrThrow()

test('keeps spend and budgets to the unit, and the ledger balances', async () => {
  const location = writeSource()
  await run(location, { logsFrom: 0 })
  const keys = rowsThere(location, 'select * from "LiteLLM_VerificationToken"')
  const users = rowsThere(location, 'select * from "LiteLLM_UserTable"')
  expect(await numberIn('select sum(used_quota) from tokens')).toBe(toUnits(keys, 'spend'))
  expect(await numberIn('select sum(used_quota) from users')).toBe(toUnits(users, 'spend'))
  const budgeted = keys.filter(row => row.max_budget !== null)
  const tiers = keys.filter(row => row.budget_id === 'free-tier').length * 5 * UNITS_PER_DOLLAR
  expect(await numberIn('select sum(remain_quota + used_quota) from tokens where unlimited_quota = 0')).toBe(
    toUnits(budgeted, 'max_budget') + tiers,
  )
  const logs = rowsThere(location, 'select * from "LiteLLM_SpendLogs"')
  expect(await numberIn('select sum(quota) from logs')).toBe(toUnits(logs, 'spend'))
  expect((await auditLedger(target.db)).drift).toBe(0)
})

test('lets in the same keys, of which the source stores only the hash', async () => {
  await run(writeSource())
  for (const { key, authenticate } of truth.tokens) {
    const hash = hashImportedKey(target.secrets, sha256(key))
    const row = (await findCallersByKeyHash(target.db, [hash])).get(hash)
    const isUsable =
      row?.status === 1 && row.user_status === 1 && (row.expired_time === -1 || row.expired_time > NOW)
    expect([key, isUsable]).toEqual([key, authenticate === 'must'])
  }
})

test('accepts the same passwords, whichever of the three forms stores them', async () => {
  const older = truth.users.filter(({ stored }) => stored !== undefined)
  await run(
    writeSource(
      ...older.map(
        ({ id, stored }) => `update "LiteLLM_UserTable" set password = '${stored}' where user_id = '${id}'`,
      ),
    ),
  )
  for (const { id, password } of truth.users) {
    const row = await target.db
      .selectFrom('users')
      .selectAll()
      .where('username', '=', id)
      .executeTakeFirstOrThrow()
    expect([id, await verifyPassword(password, row.password_hash)]).toEqual([id, true])
    expect(row.password_hash).not.toContain(password)
  }
})

test('makes a channel of each model, with its key decrypted by either cipher', async () => {
  await run(writeSource())
  const rows = await target.db.selectFrom('channels').select(['name', 'key_hash']).execute()
  for (const { name, key } of truth.channels.filter(channel => channel.key !== '' && channel.name !== '*'))
    expect(rows).toContainEqual({ name, key_hash: target.secrets.hash(CHANNEL_KEY_PURPOSE, key) })
  expect(await channelNamed('with-credential')).toMatchObject({
    type: 1,
    base_url: 'https://api.openai.example',
    key_hash: target.secrets.hash(CHANNEL_KEY_PURPOSE, 'sk-shared-vis'),
    model_mapping: '{"with-credential":"gpt-4.1"}',
  })
  expect(await channelNamed('claude-bedrock')).toMatchObject({
    type: 33,
    key_hash: target.secrets.hash(CHANNEL_KEY_PURPOSE, 'AKIAMADEUP|secret/vis|us-east-1'),
  })
  expect(await channelNamed('vertex-pro')).toMatchObject({ type: 41, other: 'us-central1' })
  expect(await channelNamed('blocked-model')).toMatchObject({ status: 2 })
  expect(await channelNamed('pool-0')).toMatchObject({ type: 8 })
})

test('makes groups of teams and organisations, and prices names like the models behind them', async () => {
  await run(writeSource())
  const option = async (key: string): Promise<unknown> => {
    const row = await target.db
      .selectFrom('options')
      .select('value')
      .where('key', '=', key)
      .executeTakeFirstOrThrow()
    return JSON.parse(row.value)
  }
  expect(await option('GroupRatio')).toMatchObject({ default: 1, Research: 1, 'Org Alpha': 1 })
  expect(await option('ModelRatio')).toMatchObject({ 'gpt-4o-mini': 0.075, 'with-credential': 1 })
  const team = await target.db
    .selectFrom('users')
    .selectAll()
    .where('username', '=', 'team-1')
    .executeTakeFirstOrThrow()
  expect(team).toMatchObject({
    display_name: 'Research',
    group: 'Research',
    quota: Math.round(100 * UNITS_PER_DOLLAR) - Math.round(11.601802 * UNITS_PER_DOLLAR),
  })
  const bot = await target.db
    .selectFrom('tokens')
    .selectAll()
    .where('name', '=', 'research-bot')
    .executeTakeFirstOrThrow()
  expect(bot).toMatchObject({
    user_id: team.id,
    group: 'Research',
    model_limits: 'gpt-4o,gpt-4o-mini',
    requests_per_minute: 100,
  })
})

test('limits a key like its organisation, its team, its member and the names it lists there', async () => {
  await run(
    writeSource(
      `update "LiteLLM_VerificationToken" set models = '["gpt-4o*","premium"]', key_alias = 'patterns' where key_alias = 'service'`,
      `update "LiteLLM_VerificationToken" set team_id = 'team-1', user_id = 'user0011', key_alias = 'member' where key_alias = 'plain-key'`,
    ),
  )
  const limitsOf = (name: string) =>
    target.db
      .selectFrom('tokens')
      .select(['model_limits_enabled', 'model_limits', 'requests_per_minute', 'max_concurrency'])
      .where('name', '=', name)
      .executeTakeFirstOrThrow()
  expect((await limitsOf('sk-...heTw')).model_limits).toBe('gpt-4o,claude-sonnet')
  expect((await limitsOf('patterns')).model_limits.split(',').sort()).toEqual([
    'claude-sonnet',
    'gpt-4o',
    'gpt-4o-mini',
  ])
  expect(await limitsOf('member')).toEqual({
    model_limits_enabled: 1,
    model_limits: 'gpt-4o,gpt-4o-mini',
    requests_per_minute: 3,
    max_concurrency: 1,
  })
})

test('writes nothing in a dry run, and nothing in a second run', async () => {
  const location = writeSource()
  const rehearsal = await run(location, { isDryRun: true, logsFrom: 0 })
  expect(await numberIn('select count(*) from users')).toBe(0)
  expect({ ...rehearsal, isDryRun: false }).toEqual(await run(location, { logsFrom: 0 }))
  const postings = await numberIn('select count(*) from postings')
  const second = await run(location, { logsFrom: 0 })
  for (const [kind, { brought }] of second.tables) expect([kind, brought]).toEqual([kind, 0])
  expect(await numberIn('select count(*) from postings')).toBe(postings)
})

test('brings logs since a time only, and new ones with the next import', async () => {
  const location = writeSource(
    `update "LiteLLM_SpendLogs" set startTime = '2020-01-01T00:00:00Z' where rowid > 40`,
  )
  const since = Date.parse('2021-01-01T00:00:00Z') / 1000
  expect((await run(location, { logsFrom: since })).tables.get('logs')?.brought).toBe(40)
  expect((await run(location, { logsFrom: 0 })).tables.get('logs')?.brought).toBe(20)
})

describe('a source that is not as it should be', () => {
  test('refuses a wrong salt key and a missing one, each with its reason', async () => {
    await expect(run(writeSource(), { saltKey: 'wrong' })).rejects.toThrow('the salt key is wrong')
    await expect(run(join(target.folder, 'litellm.db'), { saltKey: undefined })).rejects.toThrow(
      'give LITELLM_SALT_KEY',
    )
  })

  test('names rows that cannot come, and brings the others', async () => {
    const report = await run(
      writeSource(
        `update "LiteLLM_ProxyModelTable" set litellm_params = '{"model":"bm90IGVuY3J5cHRlZA"}' where model_name = 'compat'`,
        `update "LiteLLM_UserTable" set max_budget = 1e15 where user_id = 'user0001'`,
        `update "LiteLLM_UserTable" set user_email = 'user0001@example.com' where user_id = 'user0002'`,
      ),
    )
    expect(remarks(report, 'channels', 'skipped')).toEqual([
      expect.stringContaining('were encrypted with another salt key'),
      expect.stringContaining('* stands for all models of openrouter'),
    ])
    expect(remarks(report, 'users', 'questions')).toContain(
      'user0002: email belongs to another account and did not come',
    )
    expect(remarks(report, 'users', 'questions')).toContainEqual(
      expect.stringContaining(
        'user0001: max_budget is 1000000000000000 dollars, more than this gateway counts',
      ),
    )
    expect((await auditLedger(target.db)).drift).toBe(0)
  })

  test('refuses a database of another version and names the missing columns', async () => {
    const location = writeSource('alter table "LiteLLM_VerificationToken" rename column spend to spent')
    await expect(run(location)).rejects.toThrow('lacks LiteLLM_VerificationToken.spend')
  })
})

describe('config.yaml', () => {
  const CONFIG = `
model_list:
  - model_name: gpt-4o
    litellm_params: { model: openai/gpt-4o, api_key: os.environ/OPENAI_API_KEY, rpm: 6 }
  - model_name: far
    litellm_params: { model: groq/llama-3.1-8b, api_key: os.environ/GROQ_API_KEY }
  - model_name: shared
    litellm_params: { model: azure/deployed, litellm_credential_name: eu }
  - model_name: strange
    litellm_params: { model: made-up-provider/model, api_key: k }
credential_list:
  - credential_name: eu
    credential_values: { api_key: az, api_base: https://eu.example/openai/deployments/deployed, api_version: 2024-10-21 }
router_settings: { model_group_alias: { best: gpt-4o } }
`

  test('makes channels of its models without a salt key, once', async () => {
    const path = writeConfig(CONFIG)
    const report = await run(path, { saltKey: undefined })
    expect(await channelNamed('gpt-4o')).toMatchObject({
      models: 'gpt-4o,best',
      key_hash: target.secrets.hash(CHANNEL_KEY_PURPOSE, 'sk-from-the-environment'),
    })
    expect(await channelNamed('far')).toMatchObject({ base_url: 'https://api.groq.com/openai', status: 2 })
    expect(await channelNamed('shared')).toMatchObject({
      type: 3,
      base_url: 'https://eu.example',
      other: '2024-10-21',
    })
    expect(remarks(report, 'channels', 'questions')).toContainEqual(
      expect.stringContaining('GROQ_API_KEY of its environment is not set here'),
    )
    expect(remarks(report, 'channels', 'skipped')).toEqual([
      expect.stringContaining('this gateway has no channels of the provider made-up-provider'),
    ])
    expect((await run(path, { saltKey: undefined })).tables.get('channels')?.brought).toBe(0)
  })

  test('brings included files, the master key and keys of its own variables, and names what has no counterpart', async () => {
    target.writeFile(
      'more.yaml',
      'include: [config.yaml, deep.yaml]\nmodel_list: [{ model_name: b, litellm_params: { model: openai/gpt-4o }, rpm: 5 }]\nguardrails: []',
    )
    target.writeFile('deep.yaml', 'general_settings: { master_key: os.environ/MASTER }')
    const path = writeConfig(`
include: [more.yaml, lost.yaml]
model_list: [{ model_name: a, litellm_params: { model: anthropic/claude-sonnet-4-5 } }]
litellm_settings: { callbacks: [otel], drop_params: true }
router_settings: { fallbacks: [] }
environment_variables: { ANTHROPIC_API_KEY: of-the-file, MASTER: sk-1234 }
`)
    const report = await run(path, { saltKey: undefined })
    expect(report.remarks).toEqual([
      'not brought: litellm_settings: callbacks',
      'not brought: router_settings: fallbacks',
      'included: deep.yaml',
      'included: more.yaml',
      'not brought: guardrails',
      'not brought: lost.yaml, which is included and not there',
    ])
    expect(await channelNamed('a')).toMatchObject({
      status: 1,
      key_hash: target.secrets.hash(CHANNEL_KEY_PURPOSE, 'of-the-file'),
    })
    expect(await channelNamed('b')).toMatchObject({ status: 1, model_mapping: '{"b":"gpt-4o"}' })
    expect(remarks(report, 'channels', 'questions')).toEqual([
      expect.stringContaining('these parameters do not exist here: rpm'),
    ])
    const callers = await findCallersByKeyHash(target.db, [target.secrets.hash(TOKEN_KEY_PURPOSE, '1234')])
    const [caller] = callers.values()
    expect(caller).toMatchObject({ username: 'root', name: 'master_key' })
    expect(remarks(report, 'tokens', 'questions')).toEqual([
      expect.stringContaining('came as a token of the super administrator'),
      expect.stringContaining('tollgate root-password'),
    ])
    expect((await auditLedger(target.db)).drift).toBe(0)
    expect((await run(path, { saltKey: undefined })).tables.get('tokens')?.brought).toBe(0)
  })

  test('brings names with a star as the models known here, under the names that clients use', async () => {
    const report = await run(
      writeConfig(`
model_list:
  - { model_name: "anthropic/*", litellm_params: { model: "anthropic/*", api_key: k } }
  - { model_name: "gpt-5*", litellm_params: { model: "openai/gpt-5*" } }
  - { model_name: "*", litellm_params: { model: "groq/*", api_key: k } }
`),
      { saltKey: undefined },
    )
    const claude = await channelNamed('anthropic/*')
    expect(claude.models.split(',')).toContain('anthropic/claude-sonnet-4-5-20250929')
    expect(claude.model_mapping).toContain(
      '"anthropic/claude-sonnet-4-5-20250929":"claude-sonnet-4-5-20250929"',
    )
    const gpt = (await channelNamed('gpt-5*')).models.split(',')
    expect(gpt).toContain('gpt-5-mini')
    expect(gpt.every(name => name.startsWith('gpt-5'))).toBe(true)
    expect(remarks(report, 'channels', 'skipped')).toEqual([
      expect.stringContaining('* stands for all models of groq'),
    ])
    const questions = remarks(report, 'channels', 'questions')
    expect(questions.filter(reason => !reason.includes('stands for all models there'))).toEqual([])
  })

  test('refuses a file that is no configuration', async () => {
    await expect(run(writeConfig('a: [b'))).rejects.toThrow('is not valid YAML')
    await expect(run(writeConfig('name: docker'))).rejects.toThrow('neither model_list nor litellm_settings')
  })
})
