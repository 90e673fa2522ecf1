import { createHash } from 'node:crypto'
import type { ImportSource, SourceReaders, TableReader } from '../../import-source.ts'
import type { SourceDatabase, SourceValue } from '../../queries/source-database.ts'
import { dateSeconds, flag, integer, text } from '../../read-values.ts'
import { readAccount, readToken } from './accounts.ts'
import { channelReader } from './channels.ts'
import { readDrawing, readLog, readRedemption, readTask } from './history.ts'
import { optionRules, readOption, readOptionValues } from './options.ts'
import { readLogUsage } from './usage.ts'

/** one-api and the programs that grew out of it: the same tables, with columns that came later. */

type SourceTables = SourceDatabase['tables']

const NEEDED: Readonly<Record<string, readonly string[]>> = {
  users: ['id', 'username', 'password', 'role', 'status', 'quota', 'used_quota', 'request_count', 'group'],
  tokens: ['id', 'user_id', 'key', 'status', 'name', 'expired_time', 'remain_quota', 'unlimited_quota'],
  channels: ['id', 'type', 'key', 'status', 'name', 'models', 'group'],
  redemptions: ['id', 'key', 'status', 'quota'],
  options: ['key', 'value'],
  logs: ['id', 'user_id', 'created_at', 'type', 'quota'],
}
/** A database with fewer of the tables is of another program. */
const FAMILIAR_TABLES_MIN = 3

export const source: ImportSource = {
  recognize(tables) {
    const familiar = Object.keys(NEEDED).filter(table => tables.has(table))
    if (familiar.length < FAMILIAR_TABLES_MIN) return undefined
    return { program: nameProgram(tables), missing: listMissing(tables) }
  },

  async open(database, program) {
    const isOldest = program === ONE_API
    const hasTokenQuota = !isOldest || database.tables.get('tokens')?.has('used_quota') === true
    const hasRanges = program === NEW_API && isRecent(database.tables)
    const secondFactors = await readSecondFactors(database)
    const rules = optionRules(await readOptionValues(database))
    const readers: SourceReaders = {
      identity: await readIdentity(database, program),
      remarks: remarksOn(database.tables),
      options: [
        {
          table: 'options',
          key: 'key',
          label: row => text(row, 'key'),
          read: row => readOption(row, rules),
        },
      ],
      users: [
        {
          table: 'users',
          key: 'id',
          label: row => text(row, 'username'),
          read: row => readAccount(row, { isOldest, secondFactors }),
        },
      ],
      tokens: [
        {
          table: 'tokens',
          key: 'id',
          label: row => text(row, 'name'),
          read: row => readToken(row, { isOldest, hasTokenQuota, hasRanges }),
        },
      ],
      channels: [channelReader(program === ONE_HUB ? 'one-hub' : isOldest ? 'one-api' : 'new-api')],
      redemptions: [named('redemptions', 'name', readRedemption)],
      drawings: [named('midjourneys', 'mj_id', readDrawing)],
      tasks: [named('tasks', 'task_id', readTask)],
      logs: {
        table: 'logs',
        key: 'id',
        label: () => '',
        read: row => readLog(row, isOldest),
        usage: readLogUsage,
        isNumbered: true,
        since: value => ({ column: 'created_at', value }),
      },
    }
    return readers
  },
}

const ONE_API = 'one-api'
const NEW_API = 'new-api'
const ONE_HUB = 'one-hub'

function nameProgram(tables: SourceTables): string {
  if (tables.has('user_groups') && tables.has('prices')) return ONE_HUB
  return tables.get('tokens')?.has('model_limits_enabled') ? NEW_API : ONE_API
}

const named = <Imported>(
  table: string,
  name: string,
  read: TableReader<Imported>['read'],
): TableReader<Imported> => ({ table, key: 'id', label: row => text(row, name), read })

const SECOND_FACTORS_AT_ONCE = 10_000

/** The users that sign in with a second factor there. */
async function readSecondFactors(database: SourceDatabase): Promise<ReadonlySet<number>> {
  const users = new Set<number>()
  if (!database.tables.has('two_fas')) return users
  const next = (after?: SourceValue) =>
    database.readPage({ table: 'two_fas', key: 'id', after, limit: SECOND_FACTORS_AT_ONCE })
  for (let rows = await next(); rows.length > 0; rows = await next(rows.at(-1)?.id))
    for (const row of rows)
      if (flag(row, 'is_enabled') && dateSeconds(row, 'deleted_at') === null)
        users.add(integer(row, 'user_id'))
  return users
}

/** Since early 2026 a token's addresses may be ranges, and a list of none that can be used allows nobody. */
const isRecent = (tables: SourceTables): boolean => tables.get('tokens')?.has('cross_group_retry') === true

const listMissing = (tables: SourceTables): readonly string[] =>
  Object.entries(NEEDED).flatMap(([table, columns]) => {
    const found = tables.get(table)
    return found ? columns.filter(column => !found.has(column)).map(column => `${table}.${column}`) : [table]
  })

/** What the importer never brings, named only where the source has it. */
const NOT_BROUGHT: readonly (readonly [table: string, what: string])[] = [
  ['top_ups', 'payments: what they paid is part of the balances'],
  ['subscription_plans', 'subscription plans and what is left of subscriptions'],
  ['two_fas', 'second factors'],
  ['passkey_credentials', 'passkeys, which belong to the address of the other gateway'],
  ['custom_oauth_providers', 'sign-in providers of your own'],
  ['prices', 'prices by channel type: set them in the settings'],
  ['user_groups', 'groups and their ratios: set them in the settings'],
]

const remarksOn = (tables: SourceTables): readonly string[] =>
  NOT_BROUGHT.filter(([table]) => tables.has(table)).map(([table, what]) => `not brought: ${what} (${table})`)

/** The moment of its set-up where the program stores it, else its first account. */
async function readIdentity(database: SourceDatabase, program: string): Promise<string> {
  const first = async (table: string) =>
    (await database.readPage({ table, key: 'id', after: undefined, limit: 1 }))[0]
  const setup = database.tables.has('setups') ? await first('setups') : undefined
  const user = setup ? undefined : await first('users')
  const trait = setup
    ? text(setup, 'initialized_at')
    : user
      ? `${text(user, 'id')} ${text(user, 'username')}`
      : ''
  return `${program}-${createHash('sha256').update(trait).digest('hex').slice(0, 12)}`
}
