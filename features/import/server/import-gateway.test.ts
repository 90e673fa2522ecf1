import { Database as SqliteFile } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { z } from 'zod'
import { TOKEN_KEY_PURPOSE, verifyPassword } from '#server/core/crypto.ts'
import { auditLedger } from '#server/ledger/audit.ts'
import { addRows, type ImportReport, renderReport, renderSummary } from './import-report.ts'
import type { ImportKind } from './import-source.ts'
import { source as oneApi } from './sources/one-api/index.ts'
import { openTestImport, type TestImport } from './testing/test-import.ts'

const PROGRAMS = ['one-api', 'new-api-2025', 'new-api'] as const

/** What the programs themselves accept, measured at their HTTP interfaces. */
const Truth = z.object({
  users: z.array(
    z.object({ id: z.number(), username: z.string(), password: z.string().nullable(), sign_in: z.string() }),
  ),
  tokens: z.array(z.object({ id: z.number(), key: z.string(), authenticate: z.string() })),
})

let target: TestImport
beforeEach(async () => {
  target = await openTestImport()
})
afterEach(() => target.close())

const writeSource = (program: string, ...statements: readonly string[]): string =>
  target.writeSource(program, ...statements)

const readTruth = (program: string) =>
  Truth.parse(JSON.parse(readFileSync(join(import.meta.dir, 'fixtures', `${program}.json`), 'utf8')))

const run = (location: string, request: { isDryRun?: boolean; logsFrom?: number } = {}) =>
  target.run(location, [oneApi], request)

const numberIn = async (text: string): Promise<number> => {
  const { rows } = await sql
    .raw<{ n: number | string | null }>(`select (select ${text}) as n`)
    .execute(target.db)
  return Number(rows[0]?.n ?? 0)
}
const numberThere = (location: string, text: string): number => {
  const file = new SqliteFile(location, { readonly: true })
  const row = z.object({ n: z.number().nullable() }).parse(file.query(`select (select ${text}) as n`).get())
  file.close()
  return row.n ?? 0
}

/** Statements that store options in a database of new-api. */
const storing = (options: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(options).map(
    ([key, value]) => `insert or replace into options (key, value) values ('${key}', '${value}')`,
  )

const skipReasons = (report: ImportReport, kind: ImportKind) =>
  (report.tables.get(kind)?.skipped.rows ?? []).map(({ row, reason }) => `${row}: ${reason}`)
const questions = (report: ImportReport, kind: ImportKind) =>
  (report.tables.get(kind)?.questions.rows ?? []).map(({ row, reason }) => `${row}: ${reason}`)

describe.each(PROGRAMS)('%s', program => {
  test('keeps balances and counters to the unit, and the ledger balances', async () => {
    const location = writeSource(program)
    await run(location, { logsFrom: 0 })
    for (const column of ['quota', 'used_quota', 'request_count'])
      expect(await numberIn(`sum(${column}) from users`)).toBe(
        numberThere(location, `sum(${column}) from users`),
      )
    const known = 'from tokens where user_id in (select id from users)'
    for (const column of [
      'sum(used_quota)',
      'sum(case when unlimited_quota = 1 then 0 else remain_quota end)',
    ])
      expect(await numberIn(`${column} from tokens`)).toBe(numberThere(location, `${column} ${known}`))
    expect(await numberIn('count(*) from logs')).toBe(numberThere(location, 'count(*) from logs'))
    expect((await auditLedger(target.db)).drift).toBe(0)
  })

  test('accepts the same passwords and the same keys', async () => {
    await run(writeSource(program))
    const { users, tokens } = readTruth(program)
    for (const { username, password, sign_in } of users) {
      const row = await target.db
        .selectFrom('users')
        .selectAll()
        .where('username', '=', username)
        .executeTakeFirst()
      const isOn = row?.status === 1 && row.deleted_at === null
      const isRight = password !== null && (await verifyPassword(password, row?.password_hash ?? ''))
      expect([username, isOn && isRight]).toEqual([username, sign_in === 'must'])
    }
    for (const { id, key, authenticate } of tokens.filter(token => token.authenticate !== 'either')) {
      const keyHash = target.secrets.hash(TOKEN_KEY_PURPOSE, key.replace(/^sk-/, ''))
      expect([id, authenticate === 'must']).toEqual([id, await isUsable(keyHash)])
    }
  })

  test('writes nothing in a dry run, and nothing in a second run', async () => {
    const location = writeSource(program)
    const rehearsal = await run(location, { isDryRun: true, logsFrom: 0 })
    expect(await numberIn('count(*) from users')).toBe(0)
    const first = await run(location, { logsFrom: 0 })
    expect({ ...rehearsal, isDryRun: false }).toEqual(first)
    const postings = await numberIn('count(*) from postings')
    const second = await run(location, { logsFrom: 0 })
    for (const [kind, table] of second.tables) expect([kind, table.brought]).toEqual([kind, 0])
    expect(await numberIn('count(*) from postings')).toBe(postings)
  })
})

/** Whether the gateway would let a request with this key in. */
async function isUsable(keyHash: string): Promise<boolean> {
  const row = await target.db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select(['tokens.status', 'expired_time', 'remain_quota', 'unlimited_quota', 'users.status as owner'])
    .where('key_hash', '=', keyHash)
    .where('tokens.deleted_at', 'is', null)
    .where('users.deleted_at', 'is', null)
    .executeTakeFirst()
  if (row?.status !== 1 || row.owner !== 1) return false
  const isExpired = row.expired_time !== -1 && row.expired_time < NEWEST_ROW
  return !isExpired && (row.unlimited_quota === 1 || row.remain_quota > 0)
}

/** The truth was measured shortly after. */
const NEWEST_ROW = 1_795_567_400

describe('bad rows', () => {
  test('names each with its reason and brings the others', async () => {
    const location = writeSource(
      'new-api',
      `update users set quota = -500, email = 'root@example.com' where id = 2`,
      `update users set quota = 9223372036854775807 where id = 3`,
      `insert into tokens (id, user_id, key, status, name, expired_time, unlimited_quota) select 9001, user_id, key, 1, 'copy', -1, 1 from tokens order by id limit 1`,
      `insert into tokens (id, user_id, key, status, name, expired_time, unlimited_quota) values (9002, 777, 'orphan', 1, 'orphan', -1, 1)`,
      `insert into channels (id, type, key, status, name, models) values (9003, 4711, 'k', 1, 'unknown', 'm')`,
    )
    const report = await run(location)
    expect(questions(report, 'users')).toEqual([
      '2: the balance is below zero (-500) and came as it is',
      '2: email belongs to another account and did not come',
      expect.stringContaining('3: quota is 9223372036854775807, more than this gateway counts exactly'),
    ])
    expect(skipReasons(report, 'tokens')).toEqual([
      '9001: another token here has the same key',
      '9002: its owner 777 is not here',
    ])
    expect(skipReasons(report, 'channels')).toContain('9003: this gateway has no channels of the type 4711')
    expect(renderSummary(report)).toContain('new-api: imported')
    expect(renderReport(report)).toContain('"row": "9003"')
    expect((await auditLedger(target.db)).drift).toBe(0)
  })

  test.each([
    [`base_url = ''`, 'a channel of Custom needs a base URL, and it has none'],
    [`"group" = 'default,lost'`, 'the group lost has no ratio here'],
    [`models = 'a-model-of-mine'`, 'the model a-model-of-mine has neither a price nor a ratio'],
    [
      `models = 'text-embedding-3-small', type = 14`,
      'a channel of Anthropic Claude cannot serve text-embedding-3-small',
    ],
  ])('asks about a channel with %s, in a dry run too', async (assignment, reason) => {
    const location = writeSource(
      'new-api',
      `insert into channels (id, type, key, status, name, models, "group", base_url) values (9001, 8, 'k', 1, 'odd', 'gpt-4o', 'default', 'https://a.example/v1/chat/completions')`,
      `update channels set ${assignment} where id = 9001`,
    )
    for (const isDryRun of [true, false])
      expect(questions(await run(location, { isDryRun }), 'channels')).toContainEqual(
        expect.stringMatching(new RegExp(`^9001: .*${RegExp.escape(reason)}`)),
      )
  })

  test.each([
    ['model_mapping', '{"a":1}', 'model_mapping.a cannot be used: it must be string'],
    ['status_code_mapping', '{"404":9}', 'status_code_mapping.404 cannot be used: it must be at least 100'],
    ['param_override', '[]', 'param_override cannot be used: it must be object'],
    ['setting', '{"proxy":1}', 'setting.proxy cannot be used: it must be string'],
  ] as const)('asks about a channel that came and whose %s is %s', async (column, value, reason) => {
    const location = writeSource('new-api')
    await run(location)
    await target.db
      .updateTable('channels')
      .set({ [column]: value })
      .where('name', '=', 'openai-main vis')
      .execute()
    expect(questions(await run(location), 'channels').join('\n')).toContain(reason)
  })

  test('names the users whose second factor is not imported', async () => {
    const report = await run(
      writeSource(
        'new-api',
        'create table two_fas (id integer, user_id integer, secret text, is_enabled integer)',
        `insert into two_fas values (1, 2, 'JBSWY3DPEHPK3PXP', 1), (2, 3, 'JBSWY3DPEHPK3PXP', 0)`,
      ),
    )
    expect(questions(report, 'users').filter(question => question.includes('second factor'))).toEqual([
      '2: the second factor did not come: the password alone signs in here',
    ])
  })

  test.each([
    ['ModelRatio', '{"a":1,"b":2,"neg":-1,"worse":-2}', '{"a":1,"b":2}', 'neg, worse'],
    ['GroupRatio', '{"default":1,"vip":0.8,"bad":-1}', '{"default":1,"vip":0.8}', 'bad'],
    ['ModelPrice', '{"a":1,"text":"0.1"}', '{"a":1}', 'text'],
    ['CompletionRatio', '{"a":3,"none":null}', '{"a":3}', 'none'],
    ['CacheRatio', '{"a":0.5,"a":0.25}', '{"a":0.25}', 'the key "a" appears twice: the last one came'],
    ['UserUsableGroups', '{"default":"all","vip":1}', '{"default":"all"}', 'vip'],
    ['Chats', '[{"A":"https://a.example"},{"B":1}]', '[{"A":"https://a.example"}]', 'entry 2 (B)'],
    [
      'Chats',
      '[{"A":"https://a.example"},{"B":"javascript:x"}]',
      '[{"A":"https://a.example"}]',
      'entry 2 (B)',
    ],
    ['TopupGroupRatio', '{"default":1,"vip":[]}', '{"default":1}', 'vip'],
  ])('brings the good entries of %s %s and names the others', async (key, there, here, named) => {
    const report = await run(writeSource('new-api', ...storing({ [key]: there })))
    const { value } = await target.db
      .selectFrom('options')
      .select('value')
      .where('key', '=', key)
      .executeTakeFirstOrThrow()
    expect(JSON.parse(value)).toEqual(JSON.parse(here))
    expect(
      questions(report, 'options').filter(
        question => question.startsWith(`${key}: `) && question.includes(named),
      ),
    ).toHaveLength(1)
  })

  test('does not bring an option of which no entry is valid', async () => {
    const report = await run(writeSource('new-api', ...storing({ ModelRatio: '{"neg":-1}', Chats: 'none' })))
    expect(skipReasons(report, 'options').filter(reason => /^(ModelRatio|Chats):/.test(reason))).toEqual([
      expect.stringContaining('Chats: the value is not valid here: not valid JSON'),
      'ModelRatio: the value is not valid here: neg: ratios and prices cannot be negative',
    ])
  })

  test.each([
    [
      'GroupGroupRatio',
      '{"vip":{"default":0.9}}',
      'users of the group vip paid the ratio 0.9 in the group default',
    ],
    ['ImageRatio', '{"gpt-image-1":2}', 'pictures in requests of gpt-image-1 cost 2 times'],
    ['AudioRatio', '{"gpt-4o-audio":16}', 'sound in requests of gpt-4o-audio cost 16 times'],
    ['AudioCompletionRatio', '{"gpt-4o-audio":2}', 'spoken output of gpt-4o-audio cost 2 times'],
    [
      'billing_setting.billing_mode',
      '{"tiered":"tiered_expr"}',
      'the model tiered was priced by an expression',
    ],
    [
      'billing_setting.billing_mode',
      '{"timed":"per_second"}',
      'the model timed was priced by an expression there (per_second)',
    ],
    ['tool_price_setting.prices', '{"web_search":10}', '1,000 calls of the tool web_search cost $10'],
    ['payment_setting.amount_discount', '{"50":0.95}', 'a top-up of 50 cost 0.95 times its price'],
    ['StripeUnitPrice', '8', 'a dollar of quota by Stripe cost 8'],
    ['SelfUseModeEnabled', 'true', 'models without a price were served there'],
  ])('asks about %s, which decides what users pay', async (key, value, question) => {
    const report = await run(writeSource('new-api', ...storing({ [key]: value })))
    expect(questions(report, 'options').join('\n')).toContain(`${key}: ${question}`)
    expect(skipReasons(report, 'options')).toContain(
      `${key}: it decides what users pay and has no counterpart here: see the questions`,
    )
  })

  test('leaves out ratios of models that an expression prices', async () => {
    const options = {
      'billing_setting.billing_mode': '{"tiered":"tiered_expr","plain":"ratio"}',
      'billing_setting.billing_expr': JSON.stringify({ tiered: 'tier("base", p * 2.5)' }),
      ModelRatio: '{"tiered":37.5,"plain":1}',
    }
    const report = await run(writeSource('new-api', ...storing(options)))
    expect(questions(report, 'options').join()).toContain('(tier("base", p * 2.5))')
    const { value } = await target.db
      .selectFrom('options')
      .select('value')
      .where('key', '=', 'ModelRatio')
      .executeTakeFirstOrThrow()
    expect(JSON.parse(value)).toEqual({ plain: 1 })
  })

  test.each([
    ['model_mapping', '[]', '', 'did not come'],
    ['model_mapping', '{"a":1,"b":"gpt-4o"}', '{"b":"gpt-4o"}', 'a'],
    ['status_code_mapping', '{"unknown":true,"404":"503"}', '{"404":"503"}', 'unknown'],
    ['status_code_mapping', '7', '', 'did not come'],
    ['param_override', '[]', '', 'did not come'],
    ['param_override', 'text', '', 'did not come'],
    ['setting', '{"proxy":5,"force_format":true}', '{"force_format":true}', 'proxy'],
    ['priority', '99999999999', 1_000_000_000, 'came as 1000000000'],
  ])('asks about %s %s of a channel, and routing reads the rest', async (column, there, here, named) => {
    const report = await run(
      writeSource('new-api', `update channels set ${column} = '${there}' where id = 1`),
    )
    const row = await target.db
      .selectFrom('channels')
      .selectAll()
      .where('id', '=', 1)
      .executeTakeFirstOrThrow()
    expect({ ...row }).toMatchObject({ [column]: here })
    const [question] = questions(report, 'channels').filter(text => text.startsWith(`1: ${column} `))
    expect(question).toContain(named)
  })

  test('disables a channel whose address cannot be used, instead of sending its key to the default one', async () => {
    const report = await run(
      writeSource('new-api', `update channels set base_url = 'nowhere', status = 1 where id = 1`),
    )
    const row = await target.db
      .selectFrom('channels')
      .selectAll()
      .where('id', '=', 1)
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({ base_url: 'nowhere', status: 2 })
    expect(questions(report, 'channels').join()).toContain('base_url cannot be used here')
  })

  test('cuts and names figures of log rows and tasks that could not be added exactly', async () => {
    const logs = Array.from(
      { length: 30 },
      (_, row) =>
        `insert into logs (id, user_id, created_at, type, quota, prompt_tokens, channel_id, token_id) values (${9_000_000 + row}, 1, 1792542673, 2, ${[9007199254740993n, 725n][row % 2]}, 9223372036854775807, 1, 0)`,
    )
    const report = await run(writeSource('new-api', ...logs), { logsFrom: 0 })
    expect(
      questions(report, 'logs').filter(question => question.includes('more than this gateway')),
    ).toHaveLength(45)
    expect(
      await numberIn(
        `sum(quota) from logs where id in (select id from logs where request_id like 'imported-90000%')`,
      ),
    ).toBe(15 * (1_000_000_000_000_000 + 725))
    const { drift, ...audit } = await auditLedger(target.db)
    expect([drift, audit]).toEqual([0, expect.anything()])
  })

  test('brings all log rows, those of a clock before 1970 too', async () => {
    const insert = (id: number, time: number) =>
      `insert into logs (id, user_id, created_at, type, quota, channel_id, token_id) values (${id}, 1, ${time}, 2, 7, 1, 0)`
    const report = await run(writeSource('new-api', insert(9_000_001, -1), insert(9_000_002, 0)), {
      logsFrom: 0,
    })
    expect(questions(report, 'logs').join()).toContain('created_at is -1, before 1970, and came as 0')
    expect(
      await numberIn("count(*) from logs where created_at = 0 and request_id like 'imported-900000%'"),
    ).toBe(2)
    expect((await auditLedger(target.db)).drift).toBe(0)
  })

  test('counts all rows that do not come, and keeps the first for the report', () => {
    const list = { count: 0, rows: [] }
    const rows = Array.from({ length: 30_000 }, (_, row) => ({ row: String(row), name: '', reason: 'bad' }))
    for (const part of [rows, rows]) addRows(list, part)
    expect([list.count, list.rows.length]).toEqual([60_000, 50_000])
  })

  test('leaves a name to the account that has it, and joins the super administrators', async () => {
    await target.db
      .insertInto('users')
      .values([
        { username: 'root', role: 100, aff_code: 'a', created_at: 1 },
        { username: 'user0001', role: 1, aff_code: 'b', created_at: 1 },
      ])
      .execute()
    const report = await run(writeSource('new-api'))
    expect(skipReasons(report, 'users')).toEqual([
      expect.stringContaining('2: the name "user0001" is taken here'),
    ])
    expect(questions(report, 'users')[0]).toContain('1: joined the super administrator 1')
    expect((await auditLedger(target.db)).drift).toBe(0)
  })

  test.each([
    ['half a database', 'drop table channels', 'lacks channels'],
    [
      'an unknown version',
      'alter table tokens rename column remain_quota to quota_left',
      'lacks tokens.remain_quota',
    ],
  ])('refuses %s and says what is missing', async (_, statement, message) => {
    await expect(run(writeSource('new-api-2025', statement))).rejects.toThrow(message)
  })

  test('refuses a database of no known gateway', async () => {
    const path = join(target.folder, 'other.db')
    const file = new SqliteFile(path, { create: true })
    file.exec('create table recipes (id integer)')
    file.close()
    await expect(run(path)).rejects.toThrow('no known gateway has a database with these tables: recipes')
    await expect(run(join(target.folder, 'none.db'))).rejects.toThrow('there is no file')
  })
})
