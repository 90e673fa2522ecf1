import * as endpoints from '#contract/entities/user.ts'
import { ROLE } from '#contract/enums.ts'
import { createAccount } from '#server/accounts/create-account.ts'
import { userError } from '#server/accounts/errors.ts'
import { checkRank } from '#server/accounts/rank.ts'
import { toSelf, toUser } from '#server/accounts/user-view.ts'
import type { ApiContext } from '#server/api/context.ts'
import { toIsoTime } from '#server/api/format.ts'
import { handle } from '#server/api/handle.ts'
import { ACCESS_TOKEN_PURPOSE, hashPassword } from '#server/core/crypto.ts'
import { randomAlphanumeric } from '#server/core/ids.ts'
import { endAccess } from '#server/db/accounts/sessions.ts'
import { findUser, type UserRow, updateUser } from '#server/db/accounts/users.ts'
import { inTransaction } from '#server/db/engine/database.ts'
import { defineFeature } from '#server/feature.ts'
import * as management from '../contract.ts'
import { bulkRoutes } from './bulk.ts'
import { manageUser, toDeregistered } from './manage-user.ts'
import { countUsers, listUsers, type UserOrder } from './queries.ts'
import { rootPassword } from './root-password.ts'
import { missingNameError, updateUserFields } from './update-fields.ts'

const ACCESS_TOKEN_LENGTH = 32

const routes = [
  handle(endpoints.getSelf, async ({ db, caller, secrets }) =>
    toSelf(await requireUser(findUser(db, caller.id)), secrets),
  ),

  handle(endpoints.deleteSelf, async ({ db, caller, body, session, events }) => {
    if (caller.role >= ROLE.root) throw userError('root_stays')
    if (body?.username === undefined) throw missingNameError('name_required')
    if (body.username !== caller.username) throw userError('wrong_name')
    await inTransaction(db, async tx => {
      await updateUser(tx, caller.id, toDeregistered())
      await endAccess(tx, caller.id)
      await events.userDeleted(tx, caller.id)
    })
    await session.close()
  }),

  handle(endpoints.resetAccessToken, context => resetToken(context)),
  handle(endpoints.resetAccessTokenByPost, context => resetToken(context)),

  handle(management.listUsers, ({ query, ...context }) =>
    listUserPage({ ...query, keyword: '', group: '' }, context),
  ),
  handle(management.searchUsers, ({ query, ...context }) => listUserPage(query, context)),

  handle(endpoints.getUser, async ({ db, caller, params, secrets }) => {
    const user = await requireUser(findUser(db, params.id))
    if (user.id === caller.id) return toSelf(user, secrets)
    checkRank(user, caller)
    return toUser(user)
  }),

  handle(management.createUser, async ({ body, ...context }) => toUser(await createUser(body, context))),
  handle(management.updateUser, async ({ body, ...context }) =>
    toUser(await updateUserFields(body, context)),
  ),
  handle(management.manageUser, async ({ body, ...context }) => toUserState(await manageUser(body, context))),
  handle(management.deleteUser, async ({ params, ...context }) =>
    toUserState(await manageUser({ id: params.id, action: 'delete' }, context)),
  ),
]

async function requireUser(found: Promise<UserRow | undefined>): Promise<UserRow> {
  const user = await found
  if (!user) throw userError('unknown')
  return user
}

/** Only the hash is stored, so the token is shown once. */
async function resetToken({
  db,
  caller,
  secrets,
}: Pick<ApiContext, 'db' | 'caller' | 'secrets'>): Promise<string> {
  const token = randomAlphanumeric(ACCESS_TOKEN_LENGTH)
  await updateUser(db, caller.id, { access_token_hash: secrets.hash(ACCESS_TOKEN_PURPOSE, token) })
  return token
}

const toUserState = ({ id, role, status, deleted_at }: UserRow) => ({
  id,
  role,
  status,
  DeletedAt: toIsoTime(deleted_at),
})

/** Creates a regular user with the quota of new users. Throws when the requested role is not below the caller's. */
async function createUser(
  draft: management.UserDraft,
  { db, caller, settings, requestId }: Pick<ApiContext, 'db' | 'caller' | 'settings' | 'requestId'>,
): Promise<UserRow> {
  if (draft.role !== undefined && draft.role >= caller.role) throw userError('role_too_high')
  const account = {
    username: draft.username,
    displayName: draft.display_name,
    passwordHash: await hashPassword(draft.password),
    email: '',
    inviter: undefined,
  }
  const { values } = settings.current()
  const user = await inTransaction(db, tx =>
    createAccount(tx, account, { values, actorId: caller.id, requestId }),
  )
  if (!user) throw userError('name_taken')
  return user
}

interface UserPageQuery {
  readonly p: number
  readonly page_size: number
  readonly keyword: string
  readonly group: string
  readonly kind: UserRow['kind'] | ''
  readonly role: number
  readonly status: number
  readonly sort: UserOrder
}

/** Lists the users that the caller may see: those of lower rank and the caller. Super administrators see all. */
async function listUserPage(
  { p, page_size, sort, ...conditions }: UserPageQuery,
  { reader, caller }: Pick<ApiContext, 'reader' | 'caller'>,
) {
  const belowRole = caller.role >= ROLE.root ? Number.MAX_SAFE_INTEGER : caller.role
  const filter = { ...conditions, belowRole, ownId: caller.id, status: toStatus(conditions.status) }
  const [rows, total] = await Promise.all([
    listUsers(reader, filter, { offset: (p - 1) * page_size, limit: page_size, order: sort }),
    countUsers(reader, filter),
  ])
  return { items: rows.map(toUser), total, page: p, page_size }
}

const toStatus = (status: number) =>
  status === management.DEREGISTERED ? ('deregistered' as const) : status === 0 ? undefined : status

export const feature = defineFeature({
  commands: { 'root-password': rootPassword },
  start: () => ({ routes: [...routes, ...bulkRoutes] }),
})
