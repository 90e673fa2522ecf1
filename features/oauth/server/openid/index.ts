import { userError } from '#server/accounts/errors.ts'
import { checkRank, requireManaged } from '#server/accounts/rank.ts'
import { handle, type Route } from '#server/api/handle.ts'
import { endAccess } from '#server/db/accounts/sessions.ts'
import { findUser } from '#server/db/accounts/users.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import * as identities from '../../contract/identities.ts'
import * as endpoints from '../../contract/openid.ts'
import { unlinkFromCaller } from '../bindings.ts'
import { oauthError } from '../errors.ts'
import {
  createProvider,
  deleteWithUsers,
  issueScimToken,
  listProviderViews,
  saveProvider,
} from './administration.ts'
import type { OpenIdClient } from './client.ts'
import { deleteIdentity, listIdentities, listProviders, updateProvider } from './queries.ts'
import { finishSignIn, getProvider, startSignIn } from './sign-in.ts'

export const createOpenIdRoutes = (openId: OpenIdClient): readonly Route[] => [
  handle(endpoints.listOpenIdButtons, async ({ db }) =>
    (await listProviders(db))
      .filter(({ is_enabled }) => is_enabled)
      .map(({ slug, name }) => ({ slug, name })),
  ),

  handle(endpoints.startOpenIdSignIn, async ({ params: { slug }, body: { aff }, ...context }) => {
    const provider = await getProvider(slug, context)
    return { url: await startSignIn(provider, { aff, isTest: false }, { ...context, openId }) }
  }),

  handle(endpoints.testOpenIdProvider, async ({ params: { slug }, ...context }) => {
    const provider = await getProvider(slug, context, { isTest: true })
    return { url: await startSignIn(provider, { aff: '', isTest: true }, { ...context, openId }) }
  }),

  handle(endpoints.finishOpenIdSignIn, ({ params: { slug }, body, ...context }) =>
    finishSignIn(slug, body.params, { ...context, openId }),
  ),

  handle(endpoints.listOpenIdProviders, listProviderViews),

  handle(endpoints.createOpenIdProvider, ({ body: { slug, ...settings }, ...context }) =>
    createProvider(slug, settings, { ...context, openId }),
  ),

  handle(endpoints.updateOpenIdProvider, ({ params: { slug }, body, ...context }) =>
    saveProvider(slug, body, { ...context, openId }),
  ),

  handle(endpoints.deleteOpenIdProvider, ({ params: { slug }, ...context }) =>
    deleteWithUsers(slug, context),
  ),

  handle(endpoints.createScimToken, async ({ params: { slug }, ...context }) => ({
    token: await issueScimToken(slug, context),
  })),

  handle(endpoints.deleteScimToken, async ({ params: { slug }, db }) => {
    await updateProvider(db, slug, { scim_token_hash: '' })
  }),

  handle(identities.listOwnOpenIdIdentities, ({ db, caller }) => listIdentityViews(db, caller.id)),

  handle(identities.listOpenIdIdentities, async ({ params: { id }, ...context }) => {
    await requireManaged(id, context)
    return listIdentityViews(context.db, id)
  }),

  handle(identities.removeOpenIdIdentity, async ({ params: { id, slug }, ...context }) => {
    const user = await findUser(context.db, id)
    if (!user) throw userError('unknown')
    checkRank(user, context.caller)
    await inTransaction(context.db, async tx => {
      if (!(await deleteIdentity(tx, id, slug))) throw oauthError('not_bound')
      await endAccess(tx, id)
    })
  }),

  handle(identities.unlinkOpenIdIdentity, ({ params: { slug }, ...context }) =>
    unlinkFromCaller(slug, context),
  ),
]

async function listIdentityViews(db: Database, userId: number) {
  const names = new Map((await listProviders(db)).map(({ slug, name }) => [slug, name]))
  return (await listIdentities(db, userId)).map(({ provider, created_at }) => ({
    slug: provider,
    name: names.get(provider) ?? provider,
    created_time: created_at,
  }))
}
