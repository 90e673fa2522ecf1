import type { SourceDatabase, SourceRow } from '../../../db/imports/source-database.ts'
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
export const NOBODY = `${NOBODY_PREFIX}without an owner`

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
    deployments: new Map(deployments.map(deployment => [deployment.id, deployment])),
    models: createModelNames(deployments),
    groups: groupsByOwner(teams, organisations),
    ...(await scanKeys(database, {
      owners,
      rotated: new Set(rotated.map(row => text(row, 'active_token_id'))),
    })),
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
    hasKeysWithoutOwner ||= ownerOf(row, owners) === NOBODY
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
  return organisations.has(organisation) ? ORGANISATION_PREFIX + organisation : NOBODY
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
