import { ROLE, USER_STATUS } from '#contract/enums.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { hashPasswordSha256, isScryptHash, sha256 } from '#server/core/crypto.ts'
import { UNITS_PER_DOLLAR } from '#server/core/money.ts'
import type { ImportedUser, Reading } from '../../import-source.ts'
import type { SourceRow } from '../../queries/source-database.ts'
import { dateSeconds, dollarUnits, text } from '../../read-values.ts'
import { type Directory, isBlocked } from './directory.ts'
import { DEFAULT_GROUP, ORGANISATION_PREFIX, TEAM_PREFIX } from './groups.ts'

/** What an account without a budget gets, since every request here is paid from a balance. */
const WITHOUT_BUDGET_DOLLARS = 1_000_000
const SHA256 = /^[0-9a-f]{64}$/

const NO_ACCOUNT: Omit<ImportedUser, 'username' | 'quota' | 'created_at'> = {
  originalId: undefined,
  password_hash: '',
  accessToken: '',
  aff_code: '',
  inviter: undefined,
  notification: {},
  last_login_at: 0,
  deleted_at: null,
}

export function readUser(row: SourceRow, { budgets }: Directory): Reading<ImportedUser> {
  const notes: string[] = []
  const username = text(row, 'user_id')
  const record: ImportedUser = {
    ...NO_ACCOUNT,
    username,
    display_name: text(row, 'user_alias') || text(row, 'user_email') || username,
    password_hash: readPassword(text(row, 'password')),
    role: readRole(text(row, 'user_role'), notes),
    email: text(row, 'user_email').trim().toLowerCase(),
    quota: readBalance(row, budgets.get(text(row, 'budget_id')), notes),
    used_quota: dollarUnits(row, 'spend', notes),
    created_at: dateSeconds(row, 'created_at') ?? nowSeconds(),
  }
  if (text(row, 'sso_user_id') !== '' && record.password_hash === '')
    notes.push('signs in by SSO there: give the account a password, or let it reset one')
  return { record, notes }
}

/** An older form is the SHA-256 of the password, and the oldest the password itself. Neither is stored as it is. */
function readPassword(stored: string): string {
  if (stored === '' || isScryptHash(stored)) return stored
  return hashPasswordSha256(SHA256.test(stored) ? stored : sha256(stored))
}

const USER_ROLES = ['internal_user', 'team', 'customer', '']

function readRole(role: string, notes: string[]): number {
  if (role === 'proxy_admin') return ROLE.admin
  if (!USER_ROLES.includes(role)) notes.push(`the role ${role} came as that of a user`)
  return ROLE.user
}

/** What is left of the budget. One that is overdrawn there is below zero here. */
function readBalance(row: SourceRow, shared: SourceRow | undefined, notes: string[]): number {
  const source = row.max_budget === null || row.max_budget === undefined ? shared : row
  if (source?.max_budget === null || source?.max_budget === undefined) {
    notes.push(`has no budget there: came with a balance of ${WITHOUT_BUDGET_DOLLARS} dollars`)
    return WITHOUT_BUDGET_DOLLARS * UNITS_PER_DOLLAR
  }
  const left = dollarUnits(source, 'max_budget', notes) - dollarUnits(row, 'spend', [])
  if (text(source, 'budget_duration') !== '')
    notes.push(`the budget renews every ${text(source, 'budget_duration')} there and does not here`)
  if (left < 0) notes.push(`the balance is below zero (${left}) and came as it is`)
  return left
}

/** A team pays for its keys that no user owns. What it used is counted by its keys. */
export function readTeam(row: SourceRow, { groups, budgets }: Directory): Reading<ImportedUser> {
  const notes: string[] = []
  const id = text(row, 'team_id')
  const record: ImportedUser = {
    ...NO_ACCOUNT,
    username: id,
    display_name: text(row, 'team_alias') || id,
    status: isBlocked(row) ? USER_STATUS.banned : USER_STATUS.enabled,
    group: groups.get(TEAM_PREFIX + id) ?? DEFAULT_GROUP,
    quota: readBalance(row, budgets.get(text(row, 'budget_id')), notes),
    created_at: dateSeconds(row, 'created_at') ?? nowSeconds(),
  }
  notes.push('a team is a group and an account here: its balance pays for keys without a user')
  return { record, notes }
}

export function readOrganisation(row: SourceRow, { groups, budgets }: Directory): Reading<ImportedUser> {
  const notes: string[] = []
  const id = text(row, 'organization_id')
  const record: ImportedUser = {
    ...NO_ACCOUNT,
    username: id,
    display_name: text(row, 'organization_alias') || id,
    group: groups.get(ORGANISATION_PREFIX + id) ?? DEFAULT_GROUP,
    quota: readBalance(row, budgets.get(text(row, 'budget_id')), notes),
    created_at: dateSeconds(row, 'created_at') ?? nowSeconds(),
  }
  notes.push('an organisation is a group and an account here: its balance pays for keys of no user or team')
  return { record, notes }
}

export const readNobody = (row: SourceRow): Reading<ImportedUser> => ({
  record: {
    ...NO_ACCOUNT,
    username: text(row, 'name'),
    display_name: text(row, 'name'),
    quota: WITHOUT_BUDGET_DOLLARS * UNITS_PER_DOLLAR,
    created_at: nowSeconds(),
  },
  notes: [`owns the keys without an owner, with a balance of ${WITHOUT_BUDGET_DOLLARS} dollars`],
})
