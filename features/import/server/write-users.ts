import { defaultsOf, toCells } from '#contract/entities/stored.ts'
import { UserRecord } from '#contract/entities/user-fields.ts'
import { ROLE } from '#contract/enums.ts'
import { ACCESS_TOKEN_PURPOSE } from '#server/core/crypto.ts'
import { randomAlphanumeric } from '#server/core/ids.ts'
import { findUserByRole } from '#server/db/accounts/users.ts'
import type { Database } from '#server/db/engine/database.ts'
import { assignIds } from './assign-ids.ts'
import { type ImportedBalances, postImportedBalances } from './import-balances.ts'
import type { ImportContext, ImportedRow } from './import-context.ts'
import type { ImportedNotification, ImportedUser } from './import-source.ts'
import { addToUser, findImported, findTaken, insertImportedUsers } from './queries/import-rows.ts'

const INVITATION_CODE_LENGTH = 8
/** Columns that identify one account each. Another account keeps what it has. */
const IDENTITIES = ['email', 'github_id', 'linux_do_id', 'wechat_id', 'telegram_id'] as const

const DEFAULTS = toCells(UserRecord, defaultsOf(UserRecord))
type CompleteUser = typeof DEFAULTS & ImportedUser

/** Writes accounts with their balances as postings. A name that is taken here stays with its owner. */
export async function writeUsers(
  tx: Database,
  imported: readonly ImportedRow<ImportedUser>[],
  context: ImportContext,
): Promise<void> {
  const rows = imported.map(row => ({ ...row, record: { ...DEFAULTS, ...row.record } }))
  const names = await findTaken(
    tx,
    'users',
    'username',
    rows.map(({ record }) => record.username),
  )
  const root = await findUserByRole(tx, ROLE.root)
  const isMerged = ({ record }: ImportedRow<CompleteUser>) =>
    record.role === ROLE.root && record.deleted_at === null && root?.username === record.username
  const [merged, others] = [rows.filter(isMerged), rows.filter(row => !isMerged(row))]
  const fresh = others.filter(({ record, skip }) => {
    if (!names.has(record.username)) {
      names.set(record.username, 0)
      return true
    }
    skip(`the name ${JSON.stringify(record.username)} is taken here; rename one of the two and import again`)
    return false
  })
  if (root) for (const row of merged) await mergeIntoRoot(tx, row, root.id, context)
  await insertUsers(tx, fresh, context)
}

/** The super administrator of both is the same person. Name, password and settings of this gateway stay. */
async function mergeIntoRoot(
  tx: Database,
  { record, accept }: ImportedRow<CompleteUser>,
  id: number,
  { program }: ImportContext,
): Promise<void> {
  const { quota, used_quota, request_count, aff_quota } = record
  await addToUser(tx, id, { quota, used_quota, request_count, aff_quota })
  await postImportedBalances(tx, [balancesOf({ ...record, id })], reasonOf(program))
  accept(id, `joined the super administrator ${id} of this gateway, whose password and settings stay`)
}

async function insertUsers(
  tx: Database,
  rows: readonly ImportedRow<CompleteUser>[],
  context: ImportContext,
): Promise<void> {
  const ids = await assignIds(tx, 'users', rows)
  const resolve = await inviterLookup(tx, rows, ids, context)
  const claim = await createClaims(tx, rows, context)
  const written = rows.map((row, index) => {
    const id = ids[index] ?? 0
    const notes: string[] = []
    const { originalId: _, accessToken, inviter, notification, ...columns } = row.record
    const unique = claim(row.record, notes)
    const setting = toSetting(notification, context)
    row.accept(
      id,
      ...notes,
      ...(id === row.record.originalId || row.record.originalId === undefined
        ? []
        : [`has the id ${id} here`]),
    )
    return { ...columns, ...unique, id, setting, inviter_id: resolve(inviter) }
  })
  await insertImportedUsers(tx, written)
  await postImportedBalances(tx, written.map(balancesOf), reasonOf(context.program))
}

const reasonOf = (program: string): string => `imported from ${program}`

const balancesOf = (
  row: Pick<CompleteUser, 'quota' | 'aff_quota' | 'used_quota' | 'request_count'> & { readonly id: number },
): ImportedBalances => ({
  userId: row.id,
  wallet: row.quota,
  invitation: row.aff_quota,
  usage: row.used_quota,
  requests: row.request_count,
})

/** Inviters come with the same batch or came with one before. */
async function inviterLookup(
  tx: Database,
  rows: readonly ImportedRow<CompleteUser>[],
  ids: readonly number[],
  { source }: ImportContext,
): Promise<(inviter: ImportedUser['inviter']) => number> {
  const here = new Map(rows.map(({ sourceId }, index) => [sourceId, ids[index] ?? 0]))
  const inviters = rows.flatMap(({ record }) =>
    record.inviter === undefined ? [] : [String(record.inviter)],
  )
  const before = await findImported(tx, source, 'users', [...new Set(inviters)])
  return inviter => here.get(String(inviter)) ?? before.get(String(inviter)) ?? 0
}

type ClaimedColumns = Pick<CompleteUser, (typeof IDENTITIES)[number] | 'aff_code'> & {
  readonly access_token_hash: string | null
}

/** Returns a function that gives an account its unique values, except for those that another account has. */
async function createClaims(
  tx: Database,
  rows: readonly ImportedRow<CompleteUser>[],
  { secrets }: ImportContext,
): Promise<(user: CompleteUser, notes: string[]) => ClaimedColumns> {
  const taken = new Map<string, Set<string | number>>()
  for (const column of [...IDENTITIES, 'aff_code'] as const) {
    const values = rows.map(({ record }) => record[column]).filter(value => value !== '')
    taken.set(column, new Set((await findTaken(tx, 'users', column, values)).keys()))
  }
  const take = (column: string, value: string, notes: string[]): string => {
    const values = taken.get(column) ?? new Set()
    taken.set(column, values)
    if (value === '' || !values.has(value)) {
      values.add(value)
      return value
    }
    notes.push(`${column} belongs to another account and did not come`)
    return ''
  }
  return (user, notes) => {
    const identities = Object.fromEntries(
      IDENTITIES.map(column => [column, take(column, user[column], notes)]),
    )
    const token = take('access_token', user.accessToken, notes)
    return {
      email: '',
      github_id: '',
      linux_do_id: '',
      wechat_id: '',
      telegram_id: '',
      ...identities,
      aff_code: take('aff_code', user.aff_code, notes) || randomAlphanumeric(INVITATION_CODE_LENGTH),
      access_token_hash: token === '' ? null : secrets.hash(ACCESS_TOKEN_PURPOSE, token),
    }
  }
}

function toSetting(
  { webhook_url, webhook_secret, ...plain }: ImportedNotification,
  { secrets }: ImportContext,
): string {
  const setting = {
    ...plain,
    ...(webhook_url && { webhook_url: secrets.encrypt(webhook_url) }),
    ...(webhook_secret && { webhook_secret: secrets.encrypt(webhook_secret) }),
  }
  return Object.keys(setting).length === 0 ? '' : JSON.stringify(setting)
}
