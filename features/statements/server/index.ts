import { userError } from '#server/accounts/errors.ts'
import { checkRank } from '#server/accounts/rank.ts'
import { handle } from '#server/api/handle.ts'
import { findUser } from '#server/db/accounts/users.ts'
import { defineFeature } from '#server/feature.ts'
import { getSelfStatement, getUserStatement } from '../contract.ts'
import { options } from '../options.ts'
import { createStatement } from './statement.ts'

const routes = [
  handle(getSelfStatement, ({ caller, query, ...context }) => createStatement(caller, query, context)),
  handle(getUserStatement, async ({ params, query, caller, ...context }) => {
    const user = await findUser(context.db, params.id)
    if (!user) throw userError('unknown')
    if (user.id !== caller.id) checkRank(user, caller)
    return createStatement(user, query, context)
  }),
]

export const feature = defineFeature({ options, start: () => ({ routes }) })
