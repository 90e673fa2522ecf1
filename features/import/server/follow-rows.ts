import { REDEMPTION_STATUS, ROLE } from '#contract/enums.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { CHANNEL_KEY_PURPOSE, storeTokenKey } from '#server/core/crypto.ts'
import { replaceAbilities, selectAbilitySources, toAbilities } from '#server/db/channels/abilities.ts'
import type { Cell } from '#server/db/engine/bulk.ts'
import { bumpVersion } from '#server/db/engine/cached-value.ts'
import type { Database } from '#server/db/engine/database.ts'
import { type ImportedBalances, postImportedBalances } from '#server/ledger/import-balances.ts'
import type { ImportContext } from './import-context.ts'
import type {
  ImportedChannel,
  ImportedRedemption,
  ImportedToken,
  ImportedUser,
  ImportKind,
} from './import-source.ts'
import {
  type FollowedCells,
  findSharedUsers,
  listImportedAfter,
  type PostedSums,
  selectFollowed,
  sumImportPostings,
  updateFollowed,
} from './queries/follow-rows.ts'
import { findImported, findTaken } from './queries/import-rows.ts'

/** A row that came before, as it is there now. */
export interface PresentRow<Imported> {
  readonly id: number
  readonly record: Imported
  /** Tells the operator what to look at. */
  readonly note: (reason: string) => void
}

/** Brings rows up to what they are there now. Returns the number of rows that changed. */
export type FollowBatch<Imported> = (
  tx: Database,
  rows: readonly PresentRow<Imported>[],
  context: ImportContext,
) => Promise<number>

const idsOf = (rows: readonly PresentRow<unknown>[]): readonly number[] => rows.map(({ id }) => id)

const NOTHING_POSTED: Omit<PostedSums, 'id'> = { wallet: 0, invitation: 0, token: 0, usage: 0, requests: 0 }

/** A deletion is compared by whether it is one: some sources do not store when. */
function changesOf(here: FollowedCells, there: FollowedCells): Record<string, Cell> {
  const changed = Object.entries(there).filter(([column, value]) =>
    column === 'deleted_at' ? (value === null) !== (here[column] === null) : here[column] !== value,
  )
  return Object.fromEntries(changed)
}

const amounts = (add: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(add).filter(([, amount]) => amount !== 0))

const isChange = (set: object, add: object): boolean => Object.keys({ ...set, ...add }).length > 0

const userColumns = (record: ImportedUser): FollowedCells => ({
  display_name: record.display_name,
  role: record.role,
  status: record.status,
  group: record.group,
  aff_count: record.aff_count,
  aff_history_quota: record.aff_history_quota,
  last_login_at: record.last_login_at,
  deleted_at: record.deleted_at,
  // This form has another salt each time it is read.
  ...(!record.password_hash.startsWith('sha256:') && { password_hash: record.password_hash }),
})

const USER_COLUMNS = [
  ...['display_name', 'password_hash', 'role', 'status', 'group', 'aff_count', 'aff_history_quota'],
  ...['last_login_at', 'deleted_at'],
]

export const followUsers: FollowBatch<ImportedUser> = async (tx, rows, { source, program }) => {
  const here = await selectFollowed(tx, 'users', USER_COLUMNS, idsOf(rows))
  const posted = await sumImportPostings(tx, 'users', idsOf(rows))
  const shared = await findSharedUsers(tx, source, idsOf(rows))
  for (const { id, note } of rows.filter(row => shared.has(row.id)))
    note(`two gateways were joined in the account ${id}: it is not followed`)
  const balances: ImportedBalances[] = []
  let changed = 0
  for (const { id, record } of rows.filter(row => !shared.has(row.id))) {
    const row = here.get(id)
    if (!row) continue
    // The super administrator may be that of this gateway: only the figures follow.
    const set = record.role === ROLE.root ? {} : changesOf(row, userColumns(record))
    const add = userAmounts(record, posted.get(id) ?? NOTHING_POSTED)
    if (!isChange(set, add)) continue
    changed += 1
    await updateFollowed(tx, 'users', id, { set, add })
    balances.push(toBalances(id, add))
  }
  await postImportedBalances(tx, balances, `imported from ${program}`)
  return changed
}

const userAmounts = (record: ImportedUser, posted: Omit<PostedSums, 'id'>): Record<string, number> =>
  amounts({
    quota: record.quota - posted.wallet,
    aff_quota: record.aff_quota - posted.invitation,
    used_quota: record.used_quota - posted.usage,
    request_count: record.request_count - posted.requests,
  })

const toBalances = (userId: number, add: Readonly<Record<string, number>>): ImportedBalances => ({
  userId,
  wallet: add.quota ?? 0,
  invitation: add.aff_quota ?? 0,
  usage: add.used_quota ?? 0,
  requests: add.request_count ?? 0,
})

const TOKEN_COLUMNS = [
  ...['name', 'status', 'accessed_time', 'expired_time', 'unlimited_quota', 'model_limits_enabled'],
  ...['model_limits', 'allow_ips', 'group', 'max_concurrency', 'requests_per_minute', 'deleted_at'],
  ...['service_tier', 'server_tools'],
] as const

export const followTokens: FollowBatch<ImportedToken> = async (tx, rows, { secrets, program }) => {
  const here = await selectFollowed(tx, 'tokens', [...TOKEN_COLUMNS, 'key_hash', 'user_id'], idsOf(rows))
  const posted = await sumImportPostings(tx, 'tokens', idsOf(rows))
  const keys = rows.map(({ record }) => storeTokenKey(secrets, record.key))
  const hashes = keys.map(key => key.key_hash)
  const taken = await findTaken(tx, 'tokens', 'key_hash', hashes)
  const balances: ImportedBalances[] = []
  let changed = 0
  for (const [index, present] of rows.entries()) {
    const { id, record } = present
    const row = here.get(id)
    if (!row) continue
    const set = { ...changesOf(row, tokenColumns(record)), ...newKey(row, keys[index], taken, present) }
    const { token, usage } = posted.get(id) ?? NOTHING_POSTED
    const add = amounts({ remain_quota: record.remain_quota - token, used_quota: record.used_quota - usage })
    if (!isChange(set, add)) continue
    changed += 1
    await updateFollowed(tx, 'tokens', id, { set, add })
    const tokenLimit = add.remain_quota ?? 0
    balances.push({ userId: Number(row.user_id), tokenId: id, tokenLimit, usage: add.used_quota ?? 0 })
  }
  await postImportedBalances(tx, balances, `imported from ${program}`)
  return changed
}

const tokenColumns = (record: ImportedToken): FollowedCells => {
  const cells = new Map<string, Cell>(Object.entries({ ...record, owner: null, key: null, originalId: null }))
  return Object.fromEntries(TOKEN_COLUMNS.map(column => [column, cells.get(column) ?? null]))
}

/** A key that was replaced there comes, unless it is that of another token here. */
function newKey(
  row: FollowedCells,
  key: ReturnType<typeof storeTokenKey> | undefined,
  taken: ReadonlyMap<string | number, number>,
  { note }: PresentRow<ImportedToken>,
): FollowedCells {
  if (!key || row.key_hash === key.key_hash) return {}
  if (!taken.has(key.key_hash)) return key
  note('its new key is that of another token here, and did not come')
  return {}
}

const CHANNEL_COLUMNS = [
  ...[
    'type',
    'name',
    'openai_organization',
    'test_model',
    'status',
    'weight',
    'priority',
    'base_url',
    'other',
  ],
  ...[
    'models',
    'group',
    'model_mapping',
    'status_code_mapping',
    'setting',
    'param_override',
    'auto_ban',
    'tag',
  ],
] as const

export const followChannels: FollowBatch<ImportedChannel> = async (tx, rows, { secrets, program }) => {
  const here = await selectFollowed(tx, 'channels', [...CHANNEL_COLUMNS, 'key_hash'], idsOf(rows))
  const posted = await sumImportPostings(tx, 'channels', idsOf(rows))
  const changed: number[] = []
  for (const { id, record } of rows) {
    const row = here.get(id)
    if (!row) continue
    const columns = Object.fromEntries(CHANNEL_COLUMNS.map(column => [column, toCell(record, column)]))
    const key_hash = secrets.hash(CHANNEL_KEY_PURPOSE, record.key)
    const isNewKey = row.key_hash !== key_hash
    const set = {
      ...changesOf(row, columns),
      ...(isNewKey && { key_hash, key_sealed: secrets.encrypt(record.key) }),
    }
    const add = amounts({ used_quota: record.used_quota - (posted.get(id) ?? NOTHING_POSTED).usage })
    if (!isChange(set, add)) continue
    changed.push(id)
    await updateFollowed(tx, 'channels', id, { set, add })
    const balance = { userId: 0, channelId: id, usage: add.used_quota ?? 0 }
    await postImportedBalances(tx, [balance], `imported from ${program}`)
  }
  if (changed.length === 0) return 0
  const sources = await selectAbilitySources(tx, changed)
  await replaceAbilities(tx, changed, sources.flatMap(toAbilities))
  await bumpVersion(tx, 'channels')
  return changed.length
}

const toCell = (record: ImportedChannel, column: (typeof CHANNEL_COLUMNS)[number]): Cell =>
  new Map<string, Cell>(Object.entries({ ...record, originalId: null })).get(column) ?? null

/** A code that was used there must not be used again here. */
export const followRedemptions: FollowBatch<ImportedRedemption> = async (tx, rows, { source }) => {
  const columns = ['status', 'redeemed_time', 'used_user_id', 'deleted_at']
  const here = await selectFollowed(tx, 'redemptions', columns, idsOf(rows))
  const users = await findImported(tx, source, 'users', [
    ...new Set(rows.map(({ record }) => String(record.usedBy))),
  ])
  let changed = 0
  for (const { id, record, note } of rows) {
    const row = here.get(id)
    if (!row) continue
    const { status, redeemed_time, deleted_at } = record
    const there = { status, redeemed_time, deleted_at, used_user_id: users.get(String(record.usedBy)) ?? 0 }
    const set = changesOf(row, there)
    if (!isChange(set, {})) continue
    if (row.status === REDEMPTION_STATUS.used) {
      note('the code was redeemed here, and stays so')
      continue
    }
    changed += 1
    await updateFollowed(tx, 'redemptions', id, { set, add: {} })
  }
  return changed
}

const GONE_AT_ONCE = 5000

/**
 * Deletes tokens whose rows are gone there, unless all are: an empty table was cut or is being restored. Other rows are
 * only named. Returns the ids there.
 */
export async function followGone(
  { db, source }: ImportContext,
  kind: ImportKind,
  readIds: ReadonlySet<string>,
): Promise<readonly string[]> {
  const gone: { source_id: string; id: number }[] = []
  for (let after = ''; ; ) {
    const rows = await listImportedAfter(db, { source, kind, after, limit: GONE_AT_ONCE })
    gone.push(...rows.filter(row => !readIds.has(row.source_id)))
    if (rows.length < GONE_AT_ONCE) break
    after = rows.at(-1)?.source_id ?? after
  }
  if (kind !== 'tokens' || readIds.size === 0) return gone.map(row => row.source_id)
  const here = await selectFollowed(
    db,
    'tokens',
    ['deleted_at'],
    gone.map(({ id }) => id),
  )
  const alive = gone.filter(({ id }) => here.get(id)?.deleted_at === null)
  for (const { id } of alive)
    await updateFollowed(db, 'tokens', id, { set: { deleted_at: nowSeconds() }, add: {} })
  return alive.map(row => row.source_id)
}
