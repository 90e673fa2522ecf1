import type { z } from 'zod'
import * as endpoints from '#contract/accounts/oauth.ts'
import type { ApiContext } from '#server/api/context.ts'
import { handle, handleResult } from '#server/api/handle.ts'
import type { PlainRoute } from '#server/api/plain-route.ts'
import { randomAlphanumeric } from '#server/core/ids.ts'
import { defineFeature } from '#server/feature.ts'
import { OPENID_PATHS, receiveCallbackForm } from '../contract/openid.ts'
import { openIdProviders } from '../migrations/0036-openid-providers.ts'
import { scim } from '../migrations/0040-scim.ts'
import { membershipRules } from '../migrations/0109-membership-rules.ts'
import { options } from '../options.ts'
import { type BOUND, bindToCaller, unbindFromCaller } from './bindings.ts'
import { completeSignIn, registration, signInAs, takeStartedSignIn } from './callback.ts'
import { oauthError } from './errors.ts'
import {
  fetchGithubIdentity,
  fetchLinuxdoIdentity,
  fetchWechatIdentity,
  verifyTelegramLogin,
  type WidgetFields,
} from './identity-providers.ts'
import type { OpenIdClient, OpenIdClientDeps } from './openid/client.ts'
import { createOpenIdRoutes } from './openid/index.ts'
import { createLogoutRoutes } from './openid/logout.ts'
import { deleteIdentitiesOfUser } from './openid/queries.ts'
import { GITHUB, LINUXDO, requireEnabled, TELEGRAM, WECHAT } from './providers.ts'
import type { ScimDeps } from './scim/routes.ts'
import { createWorkloadCallers } from './workload/callers.ts'

const STATE_LENGTH = 32

/** The signed fields of the widget, and the state that the widget's address carried. */
type TelegramLogin = z.output<typeof endpoints.TelegramLogin>

const routes = [
  handle(endpoints.getOauthState, async ({ query, session }) => {
    const state = randomAlphanumeric(STATE_LENGTH)
    await session.saveSignInState({ state, aff: query.aff ?? '' })
    return state
  }),

  handleResult(endpoints.signInWithGithub, ({ query, ...context }) =>
    completeSignIn(query, GITHUB, context, (code, { GitHubClientId, GitHubClientSecret }) => {
      const client = { clientId: GitHubClientId, clientSecret: GitHubClientSecret }
      return fetchGithubIdentity(code, client, context.providerEndpoints.github, context)
    }),
  ),

  handleResult(endpoints.signInWithLinuxdo, ({ query, ...context }) =>
    completeSignIn(
      query,
      LINUXDO,
      context,
      (code, { LinuxDOClientId, LinuxDOClientSecret, ServerAddress }) => {
        const client = { clientId: LinuxDOClientId, clientSecret: LinuxDOClientSecret }
        const redirectUri = ServerAddress && `${ServerAddress}/oauth/linuxdo`
        return fetchLinuxdoIdentity({ code, redirectUri }, client, context.providerEndpoints.linuxdo, context)
      },
    ),
  ),

  handle(endpoints.signInWithWechat, async ({ query, ...context }) => {
    const identity = await wechatIdentity(query.code, context)
    const aff = (await context.session.takeSignInState())?.aff ?? ''
    return signInAs(identity, WECHAT, context, registration(identity, WECHAT, aff, context))
  }),
  handleResult(endpoints.bindWechat, ({ query, ...context }) => bindWechatWith(query.code, context)),
  handleResult(endpoints.bindWechatByPost, ({ body, ...context }) => bindWechatWith(body.code, context)),

  handle(endpoints.signInWithTelegram, async ({ query: { state, ...fields }, ...context }) => {
    if (state !== undefined || !context.session.isOwnScript) await takeStartedSignIn(state ?? '', context)
    return signInAs(telegramIdentity(fields, context), TELEGRAM, context, {
      createUser() {
        throw oauthError('unbound', { provider: TELEGRAM.displayName })
      },
    })
  }),
  handleResult(endpoints.bindTelegram, ({ query, ...context }) => bindTelegramWith(query, context)),
  handleResult(endpoints.bindTelegramByPost, ({ body, ...context }) => bindTelegramWith(body, context)),

  handleResult(receiveCallbackForm, async ({ body }) => {
    return new Response(null, { status: 303, headers: { location: `?${new URLSearchParams(body)}` } })
  }),

  handle(endpoints.unbind, ({ body, ...context }) => unbindFromCaller(body.binding, context)),
]

async function bindWechatWith(code: string, context: ApiContext): Promise<typeof BOUND> {
  return bindToCaller(await wechatIdentity(code, context), WECHAT, context)
}

function wechatIdentity(code: string, context: ApiContext) {
  const values = requireEnabled(WECHAT, context)
  return fetchWechatIdentity(
    code,
    { address: values.WeChatServerAddress, token: values.WeChatServerToken },
    context,
  )
}

/** The state is optional here: binding names its user in a header, which no other site can make a browser send. */
async function bindTelegramWith(
  { state, ...fields }: TelegramLogin,
  context: ApiContext,
): Promise<typeof BOUND> {
  if (state !== undefined) await takeStartedSignIn(state, context)
  return bindToCaller(telegramIdentity(fields, context), TELEGRAM, context)
}

const telegramIdentity = (fields: WidgetFields, context: ApiContext) =>
  verifyTelegramLogin(fields, requireEnabled(TELEGRAM, context).TelegramBotToken)

/** Loads the library with its first use: most gateways have no provider. */
function lazyClient(deps: OpenIdClientDeps): OpenIdClient {
  let loading: Promise<OpenIdClient> | undefined
  const load = () => {
    loading ??= import('./openid/client.ts').then(({ createOpenIdClient }) => createOpenIdClient(deps))
    return loading
  }
  return {
    discover: async (...call) => (await load()).discover(...call),
    authorizationUrl: async (...call) => (await load()).authorizationUrl(...call),
    verifyCallback: async (...call) => (await load()).verifyCallback(...call),
    endSessionUrl: async (...call) => (await load()).endSessionUrl(...call),
    verifyLogoutToken: async (...call) => (await load()).verifyLogoutToken(...call),
  }
}

/** Its library is loaded with the first call: most gateways have none. */
const scimRoute = (deps: ScimDeps): PlainRoute => ({
  path: `${OPENID_PATHS.scim}/*`,
  respond: async call => (await import('./scim/routes.ts')).respondScim(call, deps),
})

export const feature = defineFeature({
  options,
  migrations: [openIdProviders, scim, membershipRules],
  on: { userDeleted: deleteIdentitiesOfUser },
  start(services) {
    const openId = lazyClient(services)
    return {
      routes: [...routes, ...createOpenIdRoutes(openId)],
      plainRoutes: [...createLogoutRoutes(openId, services), scimRoute(services)],
      findCaller: createWorkloadCallers(services),
    }
  },
})
