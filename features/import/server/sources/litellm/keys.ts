import { TOKEN_STATUS } from '#contract/enums.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { sha256 } from '#server/core/crypto.ts'
import { type ImportedToken, type Reading, ROOT } from '../../import-source.ts'
import type { SourceRow } from '../../queries/source-database.ts'
import { dateSeconds, dollarUnits, jsonObject, text, textList } from '../../read-values.ts'
import { expandModels, intersect } from './allowed-models.ts'
import { missingVariable } from './deployments.ts'
import { type Directory, isBlocked, type Limits, limitsOf, memberKey, ownerOf } from './directory.ts'
import { ORGANISATION_PREFIX, TEAM_PREFIX } from './groups.ts'

const SHA256 = /^[0-9a-f]{64}$/
/** Keys in this form are found by their text. In others a dash would end the key. */
const PLAIN_KEY = /^sk-([A-Za-z0-9]+)$/
const NEVER = -1

/** A virtual key. LiteLLM keeps the SHA-256 of the whole key, by which the token is found here. */
export function readVirtualKey(row: SourceRow, directory: Directory): Reading<ImportedToken> {
  const stored = text(row, 'token')
  if (stored === '') return { skip: 'the key is empty' }
  const notes: string[] = []
  const record: ImportedToken = {
    originalId: undefined,
    owner: ownerOf(row, directory),
    name: text(row, 'key_alias') || text(row, 'key_name'),
    key: toKey(stored),
    ...readBudget(row, directory, notes),
    used_quota: dollarUnits(row, 'spend', notes),
    created_time: dateSeconds(row, 'created_at') ?? nowSeconds(),
    accessed_time: dateSeconds(row, 'last_active') ?? dateSeconds(row, 'created_at') ?? 0,
    expired_time: dateSeconds(row, 'expires') ?? NEVER,
    ...readLimits(row, directory, notes),
    group: groupOf(row, directory),
    deleted_at: null,
  }
  noteLosses(row, notes)
  return { record, notes }
}

/** The master key: without a database the only one that clients have. */
export function readMasterKey(row: SourceRow): Reading<ImportedToken> {
  const key = text(row, 'key')
  const missing = missingVariable(key)
  if (missing !== undefined) return { skip: `${missing} of its environment is not set here` }
  return {
    record: {
      originalId: undefined,
      owner: ROOT,
      name: 'master_key',
      key: toKey(key),
      unlimited_quota: 1,
      remain_quota: 0,
      used_quota: 0,
      created_time: nowSeconds(),
      accessed_time: 0,
      expired_time: NEVER,
      status: TOKEN_STATUS.enabled,
      deleted_at: null,
    },
    notes: [
      'came as a token of the super administrator, whose balance pays for its requests; it manages nothing here',
    ],
  }
}

/** A key that was replaced and stays valid for a while, with the limits of its successor. */
export function readRotatedKey(row: SourceRow, directory: Directory): Reading<ImportedToken> {
  const successor = directory.rotatedKeys.get(text(row, 'active_token_id'))
  if (!successor) return { skip: 'the key that replaced it is not here' }
  const revokedAt = dateSeconds(row, 'revoke_at') ?? 0
  if (revokedAt < nowSeconds()) return { skip: 'it was replaced, and its time is over' }
  const reading = readVirtualKey(successor, directory)
  if ('skip' in reading) return reading
  const { record } = reading
  const isLimited = record.unlimited_quota !== 1
  return {
    record: {
      ...record,
      name: `${record.name} (replaced)`,
      key: toKey(text(row, 'token')),
      status: isLimited ? TOKEN_STATUS.disabled : record.status,
      remain_quota: 0,
      used_quota: 0,
      expired_time: revokedAt,
    },
    notes: isLimited
      ? ['it shares the budget of the key that replaced it, which does not exist here: it came disabled']
      : [],
  }
}

function toKey(stored: string): ImportedToken['key'] {
  if (SHA256.test(stored)) return { sha256: stored }
  const [, plain] = PLAIN_KEY.exec(stored) ?? []
  return plain === undefined ? { sha256: sha256(stored) } : { text: plain }
}

function readBudget(
  row: SourceRow,
  { budgets }: Directory,
  notes: string[],
): Pick<ImportedToken, 'unlimited_quota' | 'remain_quota'> {
  const own = row.max_budget === null || row.max_budget === undefined ? undefined : row
  const source = own ?? budgets.get(text(row, 'budget_id'))
  if (source?.max_budget === null || source?.max_budget === undefined)
    return { unlimited_quota: 1, remain_quota: 0 }
  const duration = text(source, 'budget_duration')
  if (duration !== '') notes.push(`the budget renews every ${duration} there and does not here`)
  return {
    unlimited_quota: 0,
    remain_quota: dollarUnits(source, 'max_budget', notes) - dollarUnits(row, 'spend', []),
  }
}

/** All limits that apply to a key there apply to it here: its own, and those of its team, organisation, project and user. */
function readLimits(
  row: SourceRow,
  directory: Directory,
  notes: string[],
): Pick<
  ImportedToken,
  'status' | 'model_limits_enabled' | 'model_limits' | 'max_concurrency' | 'requests_per_minute'
> {
  const { teams, projects, models: known } = directory
  const team = teams.get(text(row, 'team_id'))
  const project = projects.get(text(row, 'project_id'))
  const limits = listLimits(row, directory)
  const lists = limits.map(({ models }) => expandModels(models, known, notes))
  const models = isManagementKey(row, notes) ? new Set<string>() : intersect(lists)
  const requestsPerMinute = lowest(limits.map(limit => limit.requestsPerMinute))
  const concurrency = lowest(limits.map(limit => limit.concurrency))
  return {
    status: readStatus(
      [
        [isBlocked(row), 'the key is blocked'],
        [isBlocked(team), 'its team is blocked'],
        [isBlocked(project), 'its project is blocked'],
        [requestsPerMinute === 0 || concurrency === 0, 'a limit of 0 lets no request through'],
      ],
      notes,
    ),
    model_limits_enabled: models ? 1 : 0,
    model_limits: [...(models ?? [])].join(','),
    max_concurrency: concurrency ?? 0,
    requests_per_minute: requestsPerMinute ?? 0,
  }
}

/** The limits of a user count for keys without a team, those of a member for keys of the team. */
function listLimits(row: SourceRow, directory: Directory): readonly Limits[] {
  const { teams, organisations, projects, budgets, users, memberBudgets } = directory
  const [userId, teamId] = [text(row, 'user_id'), text(row, 'team_id')]
  const team = teams.get(teamId)
  const organisation = organisations.get(text(row, 'organization_id'))
  const budgetOf = (owner: SourceRow | undefined) =>
    limitsOf(budgets.get(owner ? text(owner, 'budget_id') : ''))
  return [
    limitsOf(row),
    budgetOf(row),
    team ? limitsOf(team) : (users.get(userId) ?? limitsOf(undefined)),
    limitsOf(budgets.get(memberBudgets.get(memberKey(teamId, userId)) ?? '')),
    limitsOf(organisation),
    budgetOf(organisation),
    limitsOf(projects.get(text(row, 'project_id'))),
  ]
}

const lowest = (values: readonly (number | undefined)[]): number | undefined => {
  const known = values.filter(value => value !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

function readStatus(
  reasons: readonly (readonly [applies: boolean, reason: string])[],
  notes: string[],
): number {
  const found = reasons.filter(([applies]) => applies).map(([, reason]) => reason)
  if (found.length === 0) return TOKEN_STATUS.enabled
  notes.push(`${found.join(', ')}: it came disabled`)
  return TOKEN_STATUS.disabled
}

const ANY_MODEL_ROUTE = /^(llm_api_routes|openai_routes|\/|\*)/

/** A key for management alone must not call models here. */
function isManagementKey(row: SourceRow, notes: string[]): boolean {
  const routes = textList(row, 'allowed_routes')
  if (routes.length === 0) return false
  const isManagement = !routes.some(route => ANY_MODEL_ROUTE.test(route))
  if (isManagement) notes.push('may only manage the gateway there: it may call no model here')
  else if (routes.some(route => route !== 'llm_api_routes'))
    notes.push(`the routes ${routes.join(', ')} do not limit it here`)
  return isManagement
}

const groupOf = (row: SourceRow, { teams, organisations, groups }: Directory): string => {
  const [team, organisation] = [text(row, 'team_id'), text(row, 'organization_id')]
  if (teams.has(team)) return groups.get(TEAM_PREFIX + team) ?? ''
  return organisations.has(organisation) ? (groups.get(ORGANISATION_PREFIX + organisation) ?? '') : ''
}

/** Columns that have no counterpart, and what they do there. */
const LOSSES: readonly (readonly [column: string, what: string])[] = [
  ['tpm_limit', 'a limit of tokens per minute'],
  ['tpd_limit', 'a limit of tokens per day'],
  ['aliases', 'model aliases of a key'],
  ['model_max_budget', 'budgets by model'],
  ['budget_limits', 'several budgets of one key'],
  ['object_permission_id', 'permissions for tools and vector stores'],
  ['access_group_ids', 'access groups of a key'],
  ['policies', 'policies'],
  ['rotation_interval', 'rotation of keys'],
]

function noteLosses(row: SourceRow, notes: string[]): void {
  const lost = LOSSES.filter(([column]) => !['', '{}', '[]'].includes(text(row, column)))
  if (lost.length > 0) notes.push(`these do not exist here: ${lost.map(([, what]) => what).join(', ')}`)
  const { guardrails, model_rpm_limit, model_tpm_limit } = jsonObject(text(row, 'metadata'))
  if (Array.isArray(guardrails) && guardrails.length > 0) notes.push('guardrails of a key do not exist here')
  if (model_rpm_limit || model_tpm_limit) notes.push('rates by model do not exist here')
}
