import {
  createUser,
  deleteUser,
  listUsers as listUsersCall,
  manageUser as manageUserCall,
  searchUsers,
  updateUser as updateUserCall,
} from '#contract/accounts/user-management.ts'
import {
  deleteSelf,
  getSelf,
  getUser,
  resetAccessToken,
  resetAccessTokenByPost,
  updateSelf,
} from '#contract/accounts/users.ts'
import { ACCESS_TOKEN_PURPOSE } from '../../core/crypto.ts'
import { randomAlphanumeric } from '../../core/ids.ts'
import { inTransaction } from '../../db/database.ts'
import { deleteSessionsOfUser } from '../../db/sessions.ts'
import { findUser, type UserRow, updateUser } from '../../db/users.ts'
import { ROLE } from '../caller.ts'
import type { ApiContext } from '../context.ts'
import { handle } from '../handle.ts'
import { toTimeText, toUser } from '../user-view.ts'
import { changeSelf } from './change-self.ts'
import { changeUser } from './change-user.ts'
import { checkRank } from './check-rank.ts'
import { makeUser } from './make-user.ts'
import { deregistered, manageUser } from './manage-user.ts'
import { pageOfUsers } from './page-of-users.ts'
import { refuse } from './refuse.ts'

const ACCESS_TOKEN_LETTERS = 32

export const routes = [
  handle(getSelf, async ({ db, caller }) => toUser(await knownUser(findUser(db, caller.id)))),
  handle(updateSelf, ({ body, ...context }) => changeSelf(body, context)),

  handle(deleteSelf, async ({ db, caller, body, session }) => {
    if (caller.role >= ROLE.root) throw refuse('root_stays')
    if (body?.username !== undefined && body.username !== caller.username) throw refuse('wrong_name')
    await inTransaction(db, async tx => {
      await updateUser(tx, caller.id, deregistered())
      await deleteSessionsOfUser(tx, caller.id)
    })
    await session.close()
  }),

  handle(resetAccessToken, context => giveAccessToken(context)),
  handle(resetAccessTokenByPost, context => giveAccessToken(context)),

  handle(listUsersCall, ({ query, ...context }) =>
    pageOfUsers({ ...query, keyword: '', group: '' }, context),
  ),
  handle(searchUsers, ({ query, ...context }) => pageOfUsers(query, context)),

  handle(getUser, async ({ db, caller, params }) => {
    const user = await knownUser(findUser(db, params.id))
    if (user.id !== caller.id) checkRank(user, caller)
    return toUser(user)
  }),

  handle(createUser, async ({ body, ...context }) => toUser(await makeUser(body, context))),
  handle(updateUserCall, async ({ body, ...context }) => toUser(await changeUser(body, context))),
  handle(manageUserCall, async ({ body, ...context }) => toStanding(await manageUser(body, context))),
  handle(deleteUser, async ({ params, ...context }) =>
    toStanding(await manageUser({ id: params.id, action: 'delete' }, context)),
  ),
]

async function knownUser(found: Promise<UserRow | undefined>): Promise<UserRow> {
  const user = await found
  if (!user) throw refuse('unknown')
  return user
}

/** Only its hash is kept, so it is shown this once. */
async function giveAccessToken({
  db,
  caller,
  secrets,
}: Pick<ApiContext, 'db' | 'caller' | 'secrets'>): Promise<string> {
  const token = randomAlphanumeric(ACCESS_TOKEN_LETTERS)
  await updateUser(db, caller.id, { access_token_hash: secrets.hash(ACCESS_TOKEN_PURPOSE, token) })
  return token
}

const toStanding = ({ id, role, status, deleted_at }: UserRow) => ({
  id,
  role,
  status,
  DeletedAt: toTimeText(deleted_at),
})
