import { createHash } from 'node:crypto'
import type { ImportSource, Reading, TableReader } from '../../import-source.ts'
import type { SourceDatabase, SourceRow } from '../../queries/source-database.ts'
import { jsonObject, text } from '../../read-values.ts'
import { readNobody, readOrganisation, readTeam, readUser } from './accounts.ts'
import { readChannel } from './channels.ts'
import { CONFIG_FILE, openConfigFile } from './config-file.ts'
import { readConfiguration } from './deployments.ts'
import { type Directory, OWNERLESS_USERNAME, readDirectory } from './directory.ts'
import { NOBODY_PREFIX, ORGANISATION_PREFIX, TEAM_PREFIX } from './groups.ts'
import { readMasterKey, readRotatedKey, readVirtualKey } from './keys.ts'
import { readSetting, settingRows } from './settings.ts'
import { readSpend, readSpendUsage } from './spend-logs.ts'

/** LiteLLM: its PostgreSQL database, or its `config.yaml`. */

const NEEDED: Readonly<Record<string, readonly string[]>> = {
  LiteLLM_UserTable: ['user_id', 'user_role', 'max_budget', 'spend', 'user_email', 'models'],
  LiteLLM_TeamTable: ['team_id', 'max_budget', 'spend', 'models', 'blocked'],
  LiteLLM_OrganizationTable: ['organization_id', 'organization_alias', 'budget_id', 'models'],
  LiteLLM_BudgetTable: ['budget_id', 'max_budget'],
  LiteLLM_VerificationToken: ['token', 'spend', 'expires', 'models', 'user_id', 'team_id', 'max_budget'],
  LiteLLM_ProxyModelTable: ['model_id', 'model_name', 'litellm_params', 'model_info'],
}
const NEEDED_IN_FILE: Readonly<Record<string, readonly string[]>> = { LiteLLM_ProxyModelTable: [] }

export const source: ImportSource = {
  openFile: path => (/\.ya?ml$/i.test(path) ? openConfigFile(path) : undefined),

  recognize(tables) {
    if (![...tables.keys()].some(table => table.startsWith('LiteLLM_'))) return undefined
    return {
      program: 'LiteLLM',
      missing: listMissing(tables, tables.has(CONFIG_FILE) ? NEEDED_IN_FILE : NEEDED),
    }
  },

  async open(database, _, options) {
    const { deployments, masterKey } = await readConfiguration(database, options)
    const directory = await readDirectory(database, deployments)
    const settings = settingRows(directory)
    return {
      identity: await readIdentity(database),
      remarks: await remarksOn(database),
      options: [
        {
          table: 'groups and prices',
          key: 'id',
          label: row => text(row, 'id'),
          rows: settings,
          read: readSetting,
        },
      ],
      users: userReaders(directory),
      tokens: [
        table('LiteLLM_VerificationToken', 'token', nameOfKey, row => readVirtualKey(row, directory)),
        {
          ...table(
            'LiteLLM_DeprecatedVerificationToken',
            'id',
            () => 'replaced key',
            row => readRotatedKey(row, directory),
          ),
          idPrefix: 'replaced:',
        },
        {
          ...table(MASTER_KEY, 'id', () => MASTER_KEY, readMasterKey),
          rows: masterKey === '' ? [] : [{ id: MASTER_KEY, key: masterKey }],
        },
      ],
      channels: [
        table(
          'LiteLLM_ProxyModelTable',
          'model_id',
          row => text(row, 'model_name'),
          row => readChannel(row, directory),
        ),
      ],
      logs: {
        ...table(
          'LiteLLM_SpendLogs',
          'request_id',
          () => '',
          row => readSpend(row, directory),
        ),
        usage: readSpendUsage,
        isNumbered: false,
        since: seconds => ({ column: 'startTime', value: new Date(seconds * 1000).toISOString() }),
      },
    }
  },
}

const MASTER_KEY = 'master_key'

const table = <Imported>(
  name: string,
  key: string,
  label: (row: SourceRow) => string,
  read: (row: SourceRow) => Reading<Imported>,
): TableReader<Imported> => ({ table: name, key, label, read })

const nameOfKey = (row: SourceRow): string => text(row, 'key_alias') || text(row, 'key_name')

const userReaders = (directory: Directory) => [
  table(
    'LiteLLM_UserTable',
    'user_id',
    row => text(row, 'user_email'),
    row => readUser(row, directory),
  ),
  {
    ...table(
      'LiteLLM_TeamTable',
      'team_id',
      row => text(row, 'team_alias'),
      row => readTeam(row, directory),
    ),
    idPrefix: TEAM_PREFIX,
  },
  {
    ...table(
      'LiteLLM_OrganizationTable',
      'organization_id',
      row => text(row, 'organization_alias'),
      row => readOrganisation(row, directory),
    ),
    idPrefix: ORGANISATION_PREFIX,
  },
  {
    ...table(OWNERLESS_USERNAME, 'id', row => text(row, 'name'), readNobody),
    idPrefix: NOBODY_PREFIX,
    rows: directory.hasKeysWithoutOwner
      ? [{ id: OWNERLESS_USERNAME.slice(NOBODY_PREFIX.length), name: 'keys-without-owner' }]
      : [],
  },
]

const listMissing = (
  tables: SourceDatabase['tables'],
  needed: Readonly<Record<string, readonly string[]>>,
): readonly string[] =>
  Object.entries(needed).flatMap(([name, columns]) => {
    const found = tables.get(name)
    return found ? columns.filter(column => !found.has(column)).map(column => `${name}.${column}`) : [name]
  })

/** What the importer never brings, named only where the source has rows of it. */
const NOT_BROUGHT: readonly (readonly [table: string, key: string, what: string])[] = [
  ['LiteLLM_EndUserTable', 'user_id', 'end users and their budgets'],
  ['LiteLLM_TeamMembership', 'user_id', 'budgets of single members of teams'],
  ['LiteLLM_TagTable', 'tag_name', 'tags and their budgets'],
  ['LiteLLM_ModelTable', 'id', 'model aliases of teams'],
  ['LiteLLM_GuardrailsTable', 'guardrail_id', 'guardrails'],
  ['LiteLLM_MCPServerTable', 'server_id', 'MCP servers'],
  ['LiteLLM_AgentsTable', 'agent_id', 'agents'],
]

async function remarksOn(database: SourceDatabase): Promise<readonly string[]> {
  const remarks: string[] = []
  for (const [name, key, what] of NOT_BROUGHT) {
    if (!database.tables.get(name)?.has(key)) continue
    const rows = await database.readPage({ table: name, key, after: undefined, limit: 1 })
    if (rows.length > 0) remarks.push(`not brought: ${what} (${name})`)
  }
  return [...remarks, ...(await unreadSettings(database))]
}

/** Settings with a counterpart here, or that only concern that program. */
const READ_SETTINGS = ['master_key', 'model_group_alias', 'drop_params']

/** Every setting without a counterpart, by name. */
async function unreadSettings(database: SourceDatabase): Promise<readonly string[]> {
  const rowsOf = async (name: string, key: string) =>
    database.tables.get(name)?.has(key)
      ? database.readPage({ table: name, key, after: undefined, limit: SETTINGS_MAX })
      : []
  const sections = (await rowsOf('LiteLLM_Config', 'param_name')).filter(
    row => text(row, 'param_name') !== 'environment_variables',
  )
  const named = sections.flatMap(row => {
    const names = Object.keys(jsonObject(text(row, 'param_value')))
    const unread = names.filter(name => !READ_SETTINGS.includes(name))
    return unread.length === 0 ? [] : [`not brought: ${text(row, 'param_name')}: ${unread.join(', ')}`]
  })
  const hasDatabase = named.some(remark => /\bdatabase_url\b/.test(remark))
  const others = (await rowsOf(CONFIG_FILE, 'remark')).map(row => text(row, 'remark')).filter(Boolean)
  const hint = 'its users and keys are in the database of database_url: import that, too'
  return [...named, ...others, ...(hasDatabase ? [hint] : [])]
}

const SETTINGS_MAX = 1000

/** The id of its first migration; without migrations, its first account. A configuration is known by its models. */
async function readIdentity(database: SourceDatabase): Promise<string> {
  if (database.tables.has(CONFIG_FILE)) return 'litellm-config'
  const first = async (name: string, key: string) =>
    database.tables.has(name)
      ? (await database.readPage({ table: name, key, after: undefined, limit: 1 }))[0]
      : undefined
  const migration = await first('_prisma_migrations', 'migration_name')
  const trait = migration
    ? text(migration, 'id')
    : Object.values((await first('LiteLLM_UserTable', 'user_id')) ?? {})
        .slice(0, 1)
        .join()
  return `litellm-${createHash('sha256').update(trait).digest('hex').slice(0, 12)}`
}
