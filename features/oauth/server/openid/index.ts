import { handle, type Route } from '#server/api/handle.ts'
import * as endpoints from '../../contract.ts'
import { unlinkFromCaller } from '../bindings.ts'
import {
  createProvider,
  deleteWithUsers,
  issueScimToken,
  listProviderViews,
  saveProvider,
} from './administration.ts'
import type { OpenIdClient } from './client.ts'
import { listIdentities, listProviders, updateProvider } from './queries.ts'
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

  handle(endpoints.listOwnOpenIdIdentities, async ({ db, caller }) => {
    const names = new Map((await listProviders(db)).map(({ slug, name }) => [slug, name]))
    return (await listIdentities(db, caller.id)).map(({ provider, created_at }) => ({
      slug: provider,
      name: names.get(provider) ?? provider,
      created_time: created_at,
    }))
  }),

  handle(endpoints.unlinkOpenIdIdentity, ({ params: { slug }, ...context }) =>
    unlinkFromCaller(slug, context),
  ),
]
