import { userError } from '#server/accounts/errors.ts'
import { checkRank } from '#server/accounts/rank.ts'
import type { ApiContext } from '#server/api/context.ts'
import { handle } from '#server/api/handle.ts'
import { findUser } from '#server/db/accounts/users.ts'
import { defineFeature } from '#server/feature.ts'
import {
  createSelfBillLink,
  createUserBillLink,
  getSelfBill,
  getSelfStatement,
  getUserBill,
  getUserStatement,
} from '../contract.ts'
import { options } from '../options.ts'
import { createBill } from './bill.ts'
import { createBillLink } from './bill-link.ts'
import { billPage } from './bill-page.ts'
import { createStatement, toPeriod } from './statement.ts'

/** Throws unless the caller may read the account. */
async function findReadable(id: number, { db, caller }: Pick<ApiContext, 'db' | 'caller'>) {
  const user = await findUser(db, id)
  if (!user) throw userError('unknown')
  if (user.id !== caller.id) checkRank(user, caller)
  return user
}

const routes = [
  handle(getSelfStatement, ({ caller, query, ...context }) => createStatement(caller, query, context)),
  handle(getUserStatement, async ({ params, query, ...context }) =>
    createStatement(await findReadable(params.id, context), query, context),
  ),
  handle(getSelfBill, ({ caller, query, ...context }) =>
    createBill({ ...caller, kind: caller.member ? 'organization' : 'person' }, toPeriod(query), context),
  ),
  handle(getUserBill, async ({ params, query, ...context }) =>
    createBill(await findReadable(params.id, context), toPeriod(query), context),
  ),
]

export const feature = defineFeature({
  options,
  start({ db, settings, secrets, rateLimiter }) {
    const link = async (userId: number, input: { readonly month: string; readonly days: number }) =>
      createBillLink({ userId, ...input }, settings.current().values.ReportingTimeZone, secrets)
    return {
      routes: [
        ...routes,
        handle(createSelfBillLink, ({ caller, body }) => link(caller.id, body)),
        handle(createUserBillLink, async ({ params, body, ...context }) =>
          link((await findReadable(params.id, context)).id, body),
        ),
      ],
      plainRoutes: [billPage({ db, settings, secrets, rateLimiter })],
    }
  },
})
