import ipaddr from 'ipaddr.js'
import { ROLE, TOKEN_STATUS, USER_STATUS } from '#contract/enums.ts'
import { nowSeconds } from '#server/core/clock.ts'
import type { ImportedNotification, ImportedToken, ImportedUser, Reading } from '../../import-source.ts'
import type { SourceRow } from '../../queries/source-database.ts'
import { dateSeconds, flag, integer, jsonObject, text, units } from '../../read-values.ts'

/** Accounts and keys of one-api and its descendants. */

const DELETED_STATUS = 3
const BCRYPT = /^\$2[aby]\$\d\d\$.{53}$/
const DEFAULT_GROUP = 'default'

interface AccountRules {
  readonly isOldest: boolean
  /** The ids of users that sign in with a second factor there. */
  readonly secondFactors: ReadonlySet<number>
}

export function readAccount(
  row: SourceRow,
  { isOldest, secondFactors }: AccountRules,
): Reading<ImportedUser> {
  const username = text(row, 'username')
  if (username === '') return { skip: 'the account has no name' }
  const notes: string[] = []
  const status = integer(row, 'status')
  const deleted_at = isOldest && status === DELETED_STATUS ? nowSeconds() : dateSeconds(row, 'deleted_at')
  const record: ImportedUser = {
    originalId: integer(row, 'id'),
    username,
    display_name: text(row, 'display_name') || username,
    password_hash: readPasswordHash(row, notes),
    role: readRole(row, notes),
    status: readStatus(status, deleted_at !== null, notes),
    email: text(row, 'email').trim().toLowerCase(),
    github_id: text(row, 'github_id'),
    linux_do_id: text(row, 'linux_do_id'),
    wechat_id: text(row, 'wechat_id'),
    telegram_id: text(row, 'telegram_id'),
    accessToken: text(row, 'access_token'),
    quota: units(row, 'quota', notes),
    used_quota: units(row, 'used_quota', notes),
    request_count: integer(row, 'request_count'),
    group: text(row, 'group') || DEFAULT_GROUP,
    aff_code: text(row, 'aff_code'),
    aff_count: integer(row, 'aff_count'),
    aff_quota: readEarnings(row, notes),
    aff_history_quota: units(row, 'aff_history', notes),
    inviter: integer(row, 'inviter_id') > 0 ? integer(row, 'inviter_id') : undefined,
    notification: readNotification(text(row, 'setting'), notes),
    created_at: integer(row, 'created_at') || nowSeconds(),
    last_login_at: integer(row, 'last_login_at'),
    deleted_at,
  }
  if (secondFactors.has(integer(row, 'id')))
    notes.push('the second factor did not come: the password alone signs in here')
  if (record.quota < 0) notes.push(`the balance is below zero (${record.quota}) and came as it is`)
  return { record, notes }
}

function readPasswordHash(row: SourceRow, notes: string[]): string {
  const hash = text(row, 'password')
  if (hash === '' || BCRYPT.test(hash)) return hash
  notes.push('the password is stored in an unknown form: the user must set a new one')
  return ''
}

function readRole(row: SourceRow, notes: string[]): number {
  const role = integer(row, 'role')
  const known: readonly number[] = [ROLE.user, ROLE.admin, ROLE.root]
  if (known.includes(role)) return role
  notes.push(`the role ${role} came as that of a user`)
  return ROLE.user
}

function readStatus(status: number, isDeleted: boolean, notes: string[]): number {
  if (status === USER_STATUS.enabled || status === USER_STATUS.banned) return status
  if (!isDeleted) notes.push(`the status ${status} came as banned`)
  return USER_STATUS.banned
}

function readEarnings(row: SourceRow, notes: string[]): number {
  const earnings = units(row, 'aff_quota', notes)
  if (earnings >= 0) return earnings
  notes.push(`the invitation earnings are below zero (${earnings}) and came as 0`)
  return 0
}

const NOTIFICATION_TEXTS = ['webhook_url', 'webhook_secret', 'notification_email'] as const

function readNotification(setting: string, notes: string[]): ImportedNotification {
  const stored = jsonObject(setting)
  const { notify_type: type, quota_warning_threshold: threshold } = stored
  const texts = Object.fromEntries(
    NOTIFICATION_TEXTS.flatMap(name => {
      const value = stored[name]
      return typeof value === 'string' && value !== '' ? [[name, value] as const] : []
    }),
  )
  const isKnown = type === 'email' || type === 'webhook'
  if (typeof type === 'string' && type !== '' && !isKnown)
    notes.push(`warnings by ${type} do not exist here; they go to the email address`)
  return {
    ...(isKnown && { notify_type: type }),
    ...(typeof threshold === 'number' && threshold > 0 && { quota_warning_threshold: Math.round(threshold) }),
    ...texts,
  }
}

interface TokenRules {
  /** one-api itself: other columns for models and addresses. */
  readonly isOldest: boolean
  readonly hasTokenQuota: boolean
  /** Addresses may be ranges. */
  readonly hasRanges: boolean
}

const NEVER_EXPIRES = -1
/** In the past, and not one of the numbers that mean something else. */
const LONG_AGO = 1

export function readToken(row: SourceRow, rules: TokenRules): Reading<ImportedToken> {
  const key = text(row, 'key')
  if (key === '') return { skip: 'the token has no key' }
  const notes: string[] = []
  if (/-/.test(key)) notes.push('the key contains a dash, so no client could use it there, nor can one here')
  const isUnlimited = flag(row, 'unlimited_quota')
  const record: ImportedToken = {
    originalId: integer(row, 'id'),
    owner: row.user_id ?? null,
    name: text(row, 'name'),
    key: { text: key },
    status: readTokenStatus(row, notes),
    created_time: integer(row, 'created_time'),
    accessed_time: integer(row, 'accessed_time'),
    expired_time: readExpiry(row, notes),
    remain_quota: isUnlimited ? 0 : units(row, 'remain_quota', notes),
    used_quota: units(row, 'used_quota', notes),
    unlimited_quota: isUnlimited,
    ...readModelLimits(row, rules),
    allow_ips: readAddresses(row, rules, notes),
    group: readTokenGroup(row, notes),
    deleted_at: dateSeconds(row, 'deleted_at'),
  }
  return { record, notes }
}

function readTokenStatus(row: SourceRow, notes: string[]): number {
  const status = integer(row, 'status')
  const known: readonly number[] = Object.values(TOKEN_STATUS)
  if (known.includes(status)) return status
  notes.push(`the status ${status} came as disabled`)
  return TOKEN_STATUS.disabled
}

/** 0 and other negative numbers count as expired there. */
function readExpiry(row: SourceRow, notes: string[]): number {
  const expiry = integer(row, 'expired_time')
  if (expiry === NEVER_EXPIRES || expiry > 0) return expiry
  notes.push(`the expiry is ${expiry}, which counted as expired there and does here`)
  return LONG_AGO
}

function readModelLimits(
  row: SourceRow,
  { isOldest }: TokenRules,
): Pick<ImportedToken, 'model_limits_enabled' | 'model_limits'> {
  if (!isOldest)
    return {
      model_limits_enabled: flag(row, 'model_limits_enabled'),
      model_limits: text(row, 'model_limits'),
    }
  const models = text(row, 'models')
  return { model_limits_enabled: models === '' ? 0 : 1, model_limits: models }
}

const isPlainAddress = (entry: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(entry) || ipaddr.IPv6.isValid(entry)
const isRange = (entry: string): boolean => ipaddr.isValidCIDR(entry)

/** The same clients are let in as there, whatever the list says. A list that let in nobody keeps its text and does so here. */
function readAddresses(row: SourceRow, { isOldest, hasRanges }: TokenRules, notes: string[]): string {
  const list = text(row, isOldest ? 'subnet' : 'allow_ips')
  const entries = list
    .split(isOldest ? ',' : '\n')
    .map(entry => entry.trim())
    .filter(entry => entry !== '')
  if (entries.length === 0) return ''
  const usable = entries.filter(entry =>
    isOldest ? isRange(entry) : isPlainAddress(entry) || (hasRanges && isRange(entry)),
  )
  if (usable.length === entries.length) return entries.join('\n')
  if (isOldest || (hasRanges && usable.length === 0)) {
    notes.push(`the addresses ${JSON.stringify(list)} let in nobody there, and let in nobody here`)
    return `unusable: ${entries.join(' ')}`
  }
  notes.push(`of the addresses ${JSON.stringify(list)} only those that had an effect there came`)
  return usable.join('\n')
}

function readTokenGroup(row: SourceRow, notes: string[]): string {
  const group = text(row, 'group')
  if (group !== 'auto') return group
  notes.push("the group `auto` does not exist here; the token uses its owner's group")
  return ''
}
