import type { SourceDatabase, SourceRow, SourceValue } from '../../queries/source-database.ts'
import { flag, text, textList } from '../../read-values.ts'
import { createModelNames, type ModelNames } from './allowed-models.ts'
import { type Deployment, eachRow, readAll } from './deployments.ts'
import { groupsByOwner, NOBODY_PREFIX, ORGANISATION_PREFIX, TEAM_PREFIX } from './groups.ts'

/** What keys refer to: accounts, teams, organisations, budgets and models, in memory. */
export interface Directory {
  readonly users: ReadonlyMap<string, Limits>
  readonly teams: ReadonlyMap<string, SourceRow>
  readonly organisations: ReadonlyMap<string, SourceRow>
  readonly projects: ReadonlyMap<string, SourceRow>
  readonly budgets: ReadonlyMap<string, SourceRow>
  /** The budget row of a member, whose rates limit the member's keys of the team. */
  readonly memberBudgets: ReadonlyMap<string, string>
  readonly deployments: ReadonlyMap<string, Deployment>
  readonly models: ModelNames
  /** Keys that are replaced but still valid for a while refer to these. */
  readonly rotatedKeys: ReadonlyMap<string, SourceRow>
  readonly hasKeysWithoutOwner: boolean
  /** The group here of each team and organisation, by the id of its account. */
  readonly groups: ReadonlyMap<string, string>
}

/** What limits the keys of an account. */
export interface Limits {
  readonly models: readonly string[]
  readonly requestsPerMinute: number | undefined
  readonly concurrency: number | undefined
}

/** The account of keys that no user, team or organisation owns. */
export const OWNERLESS_USERNAME = `${NOBODY_PREFIX}without an owner`

export async function readDirectory(
  database: SourceDatabase,
  deployments: readonly Deployment[],
): Promise<Directory> {
  const byId = async (table: string, key: string) =>
    new Map((await readAll(database, table, key)).map(row => [text(row, key), row]))
  const teams = await byId('LiteLLM_TeamTable', 'team_id')
  const organisations = await byId('LiteLLM_OrganizationTable', 'organization_id')
  const rotated = await readAll(database, 'LiteLLM_DeprecatedVerificationToken', 'id')
  const owners = { users: await readUserLimits(database), teams, organisations }
  return {
    ...owners,
    projects: await byId('LiteLLM_ProjectTable', 'project_id'),
    budgets: await byId('LiteLLM_BudgetTable', 'budget_id'),
    memberBudgets: await readMemberBudgets(database),
    deployments: new Map(deployments.map(deployment => [deployment.id, deployment])),
    models: createModelNames(deployments),
    groups: groupsByOwner(teams, organisations),
    ...(await scanKeys(database, {
      owners,
      rotated: new Set(rotated.map(row => text(row, 'active_token_id'))),
    })),
  }
}

export const memberKey = (team: string, user: string): string => JSON.stringify([team, user])

const MEMBERS_AT_ONCE = 20_000

async function readMemberBudgets(database: SourceDatabase): Promise<ReadonlyMap<string, string>> {
  const budgets = new Map<string, string>()
  for await (const row of eachMember(database))
    if (text(row, 'budget_id') !== '')
      budgets.set(memberKey(text(row, 'team_id'), text(row, 'user_id')), text(row, 'budget_id'))
  return budgets
}

/** Members have no id of their own. A page ends before a user whose teams might go on behind it. */
async function* eachMember(database: SourceDatabase): AsyncGenerator<SourceRow> {
  const [table, key] = ['LiteLLM_TeamMembership', 'user_id']
  if (!database.tables.has(table)) return
  for (let after: SourceValue | undefined; ; ) {
    const page = await database.readPage({ table, key, after, limit: MEMBERS_AT_ONCE })
    if (page.length < MEMBERS_AT_ONCE) return yield* page
    const rows = page.filter(row => row[key] !== page.at(-1)?.[key])
    if (rows.length === 0) throw new Error(`a user has more than ${MEMBERS_AT_ONCE} rows in ${table}`)
    yield* rows
    after = rows.at(-1)?.[key]
  }
}

async function readUserLimits(database: SourceDatabase): Promise<ReadonlyMap<string, Limits>> {
  const users = new Map<string, Limits>()
  for await (const row of eachRow(database, 'LiteLLM_UserTable', 'user_id'))
    users.set(text(row, 'user_id'), limitsOf(row))
  return users
}

type Owners = Pick<Directory, 'users' | 'teams' | 'organisations'>

async function scanKeys(
  database: SourceDatabase,
  { owners, rotated }: { readonly owners: Owners; readonly rotated: ReadonlySet<string> },
): Promise<Pick<Directory, 'rotatedKeys' | 'hasKeysWithoutOwner'>> {
  const rotatedKeys = new Map<string, SourceRow>()
  let hasKeysWithoutOwner = false
  for await (const row of eachRow(database, 'LiteLLM_VerificationToken', 'token')) {
    if (rotated.has(text(row, 'token'))) rotatedKeys.set(text(row, 'token'), row)
    hasKeysWithoutOwner ||= ownerOf(row, owners) === OWNERLESS_USERNAME
  }
  return { rotatedKeys, hasKeysWithoutOwner }
}

/** The account here that owns a key: its user, or else the account of its team or organisation. */
export function ownerOf(row: SourceRow, { users, teams, organisations }: Owners): string {
  const [user, team, organisation] = [
    text(row, 'user_id') || text(row, 'user'),
    text(row, 'team_id'),
    text(row, 'organization_id'),
  ]
  if (users.has(user)) return user
  if (teams.has(team)) return TEAM_PREFIX + team
  return organisations.has(organisation) ? ORGANISATION_PREFIX + organisation : OWNERLESS_USERNAME
}

const NO_LIMITS: Limits = { models: [], requestsPerMinute: undefined, concurrency: undefined }

export function limitsOf(row: SourceRow | undefined): Limits {
  if (!row) return NO_LIMITS
  const models = textList(row, 'models')
  const requestsPerMinute = count(row, 'rpm_limit')
  const concurrency = count(row, 'max_parallel_requests')
  return models.length === 0 && requestsPerMinute === undefined && concurrency === undefined
    ? NO_LIMITS
    : { models: models.length > 0 ? models : textList(row, 'allowed_models'), requestsPerMinute, concurrency }
}

const count = (row: SourceRow, column: string): number | undefined =>
  row[column] === null || row[column] === undefined ? undefined : Math.max(0, Number(row[column]))

export const isBlocked = (row: SourceRow | undefined): boolean =>
  row !== undefined && flag(row, 'blocked') === 1
