import {
  bindTelegram,
  bindTelegramByPost,
  bindWechat,
  bindWechatByPost,
  getOauthState,
  signInWithGithub,
  signInWithLinuxdo,
  signInWithTelegram,
  signInWithWechat,
  unbind,
} from '#contract/accounts/oauth.ts'
import { randomAlphanumeric } from '../../core/ids.ts'
import { askGithub } from '../../integrations/github.ts'
import { askLinuxdo } from '../../integrations/linuxdo.ts'
import { readTelegram, type WidgetFields } from '../../integrations/telegram.ts'
import { askWechat } from '../../integrations/wechat.ts'
import type { ApiContext } from '../context.ts'
import { handle, handleReply } from '../handle.ts'
import { type BOUND, bind } from './bind.ts'
import { comeBack } from './come-back.ts'
import { loosen } from './loosen.ts'
import { makeAccountOf } from './make-account-of.ts'
import { refuse } from './refuse.ts'
import { requireOn } from './require-on.ts'
import { signInAs } from './sign-in-as.ts'
import { GITHUB, LINUXDO, TELEGRAM, WECHAT } from './ways.ts'

const STATE_LETTERS = 32

export const routes = [
  handle(getOauthState, async ({ query, session }) => {
    const state = randomAlphanumeric(STATE_LETTERS)
    await session.keepState({ state, aff: query.aff ?? '' })
    return state
  }),

  handleReply(signInWithGithub, ({ query, ...context }) =>
    comeBack(query, GITHUB, context, (code, { GitHubClientId, GitHubClientSecret }) => {
      const client = { clientId: GitHubClientId, clientSecret: GitHubClientSecret }
      return askGithub(code, client, context.parties.github, context)
    }),
  ),

  handleReply(signInWithLinuxdo, ({ query, ...context }) =>
    comeBack(query, LINUXDO, context, (code, { LinuxDOClientId, LinuxDOClientSecret, ServerAddress }) => {
      const client = { clientId: LinuxDOClientId, clientSecret: LinuxDOClientSecret }
      const redirectUri = ServerAddress && `${ServerAddress}/oauth/linuxdo`
      return askLinuxdo({ code, redirectUri }, client, context.parties.linuxdo, context)
    }),
  ),

  handle(signInWithWechat, async ({ query, ...context }) => {
    const identity = await wechatIdentity(query.code, context)
    const aff = (await context.session.takeState())?.aff ?? ''
    return signInAs(identity, WECHAT, context, () => makeAccountOf(identity, WECHAT, aff, context))
  }),
  handleReply(bindWechat, ({ query, ...context }) => bindWechatWith(query.code, context)),
  handleReply(bindWechatByPost, ({ body, ...context }) => bindWechatWith(body.code, context)),

  handle(signInWithTelegram, ({ query, ...context }) =>
    signInAs(telegramIdentity(query, context), TELEGRAM, context, () => {
      throw refuse('unbound', { party: TELEGRAM.party })
    }),
  ),
  handleReply(bindTelegram, ({ query, ...context }) => bindTelegramWith(query, context)),
  handleReply(bindTelegramByPost, ({ body, ...context }) => bindTelegramWith(body, context)),

  handle(unbind, ({ body, ...context }) => loosen(body.binding, context)),
]

async function bindWechatWith(code: string, context: ApiContext): Promise<typeof BOUND> {
  return bind(await wechatIdentity(code, context), WECHAT, context)
}

function wechatIdentity(code: string, context: ApiContext) {
  const values = requireOn(WECHAT, context)
  return askWechat(code, { address: values.WeChatServerAddress, token: values.WeChatServerToken }, context)
}

const bindTelegramWith = async (fields: WidgetFields, context: ApiContext): Promise<typeof BOUND> =>
  bind(telegramIdentity(fields, context), TELEGRAM, context)

const telegramIdentity = (fields: WidgetFields, context: ApiContext) =>
  readTelegram(fields, requireOn(TELEGRAM, context).TelegramBotToken)
