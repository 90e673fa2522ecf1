import { randomUUID } from 'node:crypto'
import SCIMMY from 'scimmy'
import { RECORDS } from '#contract/audited-records.ts'
import { LOG_TYPE, ROLE } from '#contract/enums.ts'
import { nowMs, nowSeconds } from '#server/core/clock.ts'
import { claimUniqueColumn, findUser, type UserRow } from '#server/db/accounts/users.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import { insertEventLog } from '#server/db/logs/log-writes.ts'
import type { Services } from '#server/feature.ts'
import { OPENID_PATHS } from '../../contract/openid.ts'
import { createOauthAccount } from '../callback.ts'
import type { ProviderIdentity } from '../identity-providers.ts'
import { followMemberships, mapGroups, toUserColumns } from '../openid/access.ts'
import type { OpenIdProvider } from '../openid/provider.ts'
import {
  deleteIdentity,
  findUserBySubject,
  insertIdentity,
  lockProvider,
  updateRoleAndGroup,
} from '../openid/queries.ts'
import { toOauthProvider } from '../openid/sign-in.ts'
import * as queries from './queries.ts'
import type { ScimGroupTable, ScimUserTable } from './tables.ts'

/** What a call of a provider may use. */
export interface ScimContext extends Pick<Services, 'db' | 'secrets' | 'settings' | 'events'> {
  readonly provider: OpenIdProvider
  readonly method: string
  readonly requestId: string
  /** Of the caller. */
  readonly address: string
  /** The address below which SCIM is served. */
  readonly base: string
}

const DISPLAY_NAME_CHARS_MAX = 20

/** An error in the words of SCIM. Source: RFC 7644, section 3.12. */
export const scimError = (status: number, type: string, detail: string): Error =>
  new SCIMMY.Types.Error(status, type, detail)

/** The fields of a user that count here; the others are kept as they were sent. */
interface ScimUser {
  readonly userName: string
  readonly externalId?: string
  readonly displayName?: string
  readonly active?: boolean
  readonly name?: { readonly formatted?: string }
  readonly emails?: ReadonlyArray<{ readonly value?: string; readonly primary?: boolean }>
}

interface ScimGroup {
  readonly displayName: string
  readonly externalId?: string
  readonly members?: ReadonlyArray<{ readonly value?: string; readonly display?: string }>
}

const metaOf = (row: Pick<ScimUserTable, 'created_at' | 'updated_at' | 'version'>) => ({
  created: new Date(row.created_at),
  lastModified: new Date(row.updated_at),
  version: versionOf(row),
})

/** The entity tag of a resource. */
export const versionOf = ({ version }: Pick<ScimUserTable, 'version'>): string => `W/"${version}"`

/** A user as stored; whether they are active is part of what was sent. */
export const toScimUser = (row: ScimUserTable) => ({
  ...JSON.parse(row.body),
  id: row.id,
  meta: metaOf(row),
})

export const toScimGroup = async (row: ScimGroupTable, { db, base }: Pick<ScimContext, 'db' | 'base'>) => ({
  id: row.id,
  displayName: row.display_name,
  ...(row.external_id !== '' && { externalId: row.external_id }),
  members: (await queries.listMembers(db, row.id)).map(({ scim_user_id: value, display }) => ({
    value,
    ...(display !== '' && { display }),
    $ref: `${base}/Users/${value}`,
    type: 'User',
  })),
  meta: metaOf(row),
})

/** One call after another of a provider changes something: two that create the same leave one. */
const inTurn = <T>(context: ScimContext, work: (context: ScimContext) => Promise<T>): Promise<T> =>
  inTransaction(context.db, async tx => {
    await lockProvider(tx, context.provider.slug)
    return work({ ...context, db: tx })
  })

/** Creates or replaces a user of a provider, and lets their account here follow. */
export const writeUser = (
  id: string | undefined,
  user: ScimUser,
  context: ScimContext,
): Promise<ScimUserTable> => inTurn(context, turn => storeUser(id, user, turn))

async function storeUser(
  id: string | undefined,
  user: ScimUser,
  context: ScimContext,
): Promise<ScimUserTable> {
  const { db, provider } = context
  const named = id === undefined ? undefined : await requireUser(id, context)
  const { account, isNew = false } = named
    ? { account: await requireAccount(named, context) }
    : await findOrCreateAccount(user, context)
  const former = named ?? (await queries.findScimUserOf(db, provider.slug, account.id))
  if (!named && former?.deleted_at === 0)
    throw scimError(409, 'uniqueness', 'this externalId is another user')
  const isActive = user.active ?? true
  if (account.role === ROLE.root && !isActive)
    throw scimError(403, '', 'a super administrator is not managed by SCIM')
  const now = nowMs()
  const row: ScimUserTable = {
    id: former?.id ?? randomUUID(),
    provider: provider.slug,
    user_id: account.id,
    user_name: user.userName.toLowerCase(),
    external_id: user.externalId ?? '',
    is_active: Number(isActive),
    body: JSON.stringify(user),
    created_at: former?.created_at ?? now,
    updated_at: now,
    version: (former?.version ?? 0) + 1,
    deleted_at: 0,
  }
  const { userName, externalId, displayName } = user
  const input = { id: row.id, userName, externalId, displayName, active: isActive }
  await inTransaction(db, async tx => {
    const { ended } = await startChange(
      tx,
      { kind: 'Users', accounts: isNew ? [] : [account.id], input },
      context,
    )
    if (!(await queries.saveScimUser(tx, row))) throw scimError(409, 'uniqueness', 'this userName is taken')
    await followUser(tx, row, user, { former, account, context })
    await ended({ code: '', data: account })
  })
  return row
}

interface RecordedChange {
  readonly kind: 'Users' | 'Groups'
  /** User ids. */
  readonly accounts: readonly number[]
  readonly input: Readonly<Record<string, unknown>>
}

/** Begins the row of the audit log, in the transaction of the change. */
const startChange = (
  tx: Database,
  { kind, accounts, input }: RecordedChange,
  { provider, method, secrets, settings, events, address, requestId }: ScimContext,
) =>
  events.changeStarted({
    db: tx,
    secrets,
    options: settings.options,
    credential: 'scim',
    actorName: provider.slug,
    action: `${method} ${OPENID_PATHS.scim}/${kind}`,
    record: RECORDS.user,
    rows: { id: accounts },
    input,
    address,
    requestId,
  })

interface ScimChange {
  readonly former: ScimUserTable | undefined
  readonly account: UserRow
  readonly context: ScimContext
}

/** The account follows what the provider changed, and nothing else: an administrator's ban is not lifted by a sync. */
async function followUser(
  tx: Database,
  row: ScimUserTable,
  user: ScimUser,
  { former, account, context }: ScimChange,
): Promise<void> {
  const { provider } = context
  const wasActive = former ? former.is_active === 1 : true
  if (wasActive !== (row.is_active === 1)) {
    await setAccess(tx, account, row.is_active === 1, context)
    await followGroupsOf(tx, row, context)
  }
  const name = displayNameOf(user)
  if (name !== '' && name !== account.display_name) await queries.updateDisplayName(tx, account.id, name)
  const email = emailOf(user)
  if (email !== '' && email !== account.email) await claimUniqueColumn(tx, account.id, 'email', email)
  if (row.external_id !== '' && row.external_id !== former?.external_id) {
    await deleteIdentity(tx, account.id, provider.slug)
    const identity = { provider: provider.slug, subject: row.external_id, user_id: account.id }
    if (!(await insertIdentity(tx, { ...identity, created_at: nowSeconds() })))
      throw scimError(409, 'uniqueness', 'this externalId is another user')
  }
}

/** Lets a user in or out, and leaves a row in the log. */
async function setAccess(
  tx: Database,
  { id, username }: UserRow,
  isActive: boolean,
  { provider: { name }, requestId }: ScimContext,
): Promise<void> {
  await queries.setUserAccess(tx, id, isActive)
  await insertEventLog(tx, {
    type: LOG_TYPE.management,
    userId: id,
    username,
    content: isActive
      ? { zh: `${name} 通过 SCIM 启用了账户`, en: `${name} enabled the account by SCIM` }
      : { zh: `${name} 通过 SCIM 禁用了账户`, en: `${name} disabled the account by SCIM` },
    requestId,
  })
}

const displayNameOf = ({ displayName, name }: ScimUser): string =>
  [...(displayName ?? name?.formatted ?? '').trim()].slice(0, DISPLAY_NAME_CHARS_MAX).join('')

const emailOf = ({ emails = [] }: ScimUser): string =>
  ((emails.find(({ primary }) => primary) ?? emails[0])?.value ?? '').trim().toLowerCase()

/** Whoever signed in with the provider before is that account; nobody is found by name or address. */
async function findOrCreateAccount(
  user: ScimUser,
  context: ScimContext,
): Promise<{ readonly account: UserRow; readonly isNew: boolean }> {
  const { db, provider } = context
  const { externalId = '', userName } = user
  const known = externalId === '' ? undefined : await findUserBySubject(db, provider.slug, externalId)
  if (known) return { account: known, isNew: false }
  const identity: ProviderIdentity = {
    id: externalId,
    login: userName.split('@')[0] ?? '',
    name: displayNameOf(user) || userName,
    email: emailOf(user),
  }
  const oauth = toOauthProvider(provider)
  const identities = { ...oauth.identities, claim: async () => true, findOwner: async () => undefined }
  const account = await createOauthAccount(identity, { ...oauth, identities }, '', context)
  return { account, isNew: true }
}

export async function requireUser(id: string, { db, provider }: ScimContext): Promise<ScimUserTable> {
  const row = await queries.findScimUser(db, provider.slug, id)
  if (!row) throw scimError(404, '', `there is no user ${id}`)
  return row
}

export async function requireGroup(id: string, { db, provider }: ScimContext): Promise<ScimGroupTable> {
  const row = await queries.findScimGroup(db, provider.slug, id)
  if (!row) throw scimError(404, '', `there is no group ${id}`)
  return row
}

async function requireAccount({ id, user_id }: ScimUserTable, { db }: ScimContext): Promise<UserRow> {
  const account = await findUser(db, user_id)
  if (!account) throw scimError(404, '', `the account of user ${id} is deleted`)
  return account
}

/** Ends the access of a user whom the provider forgets; account and books stay. */
export async function deleteUser(id: string, context: ScimContext): Promise<void> {
  const row = await requireUser(id, context)
  const account = await findUser(context.db, row.user_id)
  const input = { id, userName: row.user_name, externalId: row.external_id }
  await inTurn(context, async ({ db: tx }) => {
    const { ended } = await startChange(tx, { kind: 'Users', accounts: [row.user_id], input }, context)
    await queries.deleteScimUser(tx, id, nowMs())
    if (account && account.role !== ROLE.root) {
      await setAccess(tx, account, false, context)
      await followMemberships(tx, { provider: context.provider, userId: account.id, groups: [] }, context)
    }
    await ended({ code: '' })
  })
}

/** Creates or replaces a group; role and user group of those concerned follow. */
export const writeGroup = (
  id: string | undefined,
  group: ScimGroup,
  context: ScimContext,
): Promise<ScimGroupTable> => inTurn(context, turn => storeGroup(id, group, turn))

async function storeGroup(
  id: string | undefined,
  group: ScimGroup,
  context: ScimContext,
): Promise<ScimGroupTable> {
  const { db, provider } = context
  const former = id === undefined ? undefined : await requireGroup(id, context)
  const now = nowMs()
  const row: ScimGroupTable = {
    id: former?.id ?? randomUUID(),
    provider: provider.slug,
    display_name: group.displayName,
    external_id: group.externalId ?? '',
    created_at: former?.created_at ?? now,
    updated_at: now,
    version: (former?.version ?? 0) + 1,
  }
  const members = new Map(
    (group.members ?? []).flatMap(({ value, display = '' }): [string, string][] =>
      value === undefined ? [] : [[value, display]],
    ),
  )
  const input = { id: row.id, displayName: row.display_name, members: members.size }
  await inTransaction(db, async tx => {
    const concerned = [...(await listMemberIds(tx, row.id)), ...members.keys()]
    const accounts = await queries.listAccountIds(tx, provider.slug, concerned)
    const { ended } = await startChange(tx, { kind: 'Groups', accounts, input }, context)
    if (!(await queries.saveScimGroup(tx, row)))
      throw scimError(409, 'uniqueness', 'this displayName is taken')
    await followGroups(tx, await queries.replaceMembers(tx, row, members), context)
    await ended({ code: '' })
  })
  return row
}

export async function deleteGroup(id: string, context: ScimContext): Promise<void> {
  const { display_name: displayName } = await requireGroup(id, context)
  await inTurn(context, async ({ db: tx }) => {
    const members = await listMemberIds(tx, id)
    const accounts = await queries.listAccountIds(tx, context.provider.slug, members)
    const { ended } = await startChange(tx, { kind: 'Groups', accounts, input: { id, displayName } }, context)
    await queries.deleteScimGroup(tx, id)
    await followGroups(tx, members, context)
    await ended({ code: '' })
  })
}

const listMemberIds = async (tx: Database, groupId: string): Promise<readonly string[]> =>
  (await queries.listMembers(tx, groupId)).map(({ scim_user_id }) => scim_user_id)

async function followGroups(tx: Database, members: readonly string[], context: ScimContext): Promise<void> {
  for (const member of members) {
    const user = await queries.findScimUser(tx, context.provider.slug, member)
    if (user) await followGroupsOf(tx, user, context)
  }
}

/** Whom the provider has deactivated is a member of nothing: tokens of organisations would go on otherwise. */
async function followGroupsOf(
  tx: Database,
  { user_id: userId, is_active }: ScimUserTable,
  context: ScimContext,
): Promise<void> {
  const { provider } = context
  const groups = await queries.listGroupNames(tx, provider.slug, userId)
  const access = mapGroups(provider, groups)
  if (access) await updateRoleAndGroup(tx, userId, toUserColumns(access))
  await followMemberships(tx, { provider, userId, groups: is_active ? groups : [] }, context)
}
