import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { localizedError } from '../fields.ts'
import { User } from './users.ts'

const TEXT_LENGTH_MAX = 2000
const role = 'visitor'
const ShortText = z.string().trim().max(TEXT_LENGTH_MAX)
const Code = ShortText.min(1)

export const getOauthState = endpoint({
  method: 'GET',
  path: '/api/oauth/state',
  role,
  isCritical: true,
  summary: 'A text that ties the sign-in about to begin to this session; good once, for ten minutes',
  query: z.object({
    /** The code of whoever invited them. */
    aff: ShortText.optional(),
  }),
  reply: z.string(),
})

/** What a party sends people back with: a code, or why it gave none. */
const OauthCallback = z.object({
  code: ShortText.default(''),
  state: ShortText.default(''),
  error: ShortText.optional(),
  error_description: ShortText.optional(),
})

/** Signed in already: the identity is bound, the message is `bind` and there is no data. */
const SignedIn = User.optional()

export const signInWithGithub = endpoint({
  method: 'GET',
  path: '/api/oauth/github',
  role,
  isCritical: true,
  summary: 'Signs in with a code of GitHub, or binds the identity to whoever is signed in',
  query: OauthCallback,
  reply: SignedIn,
})

export const signInWithLinuxdo = endpoint({
  method: 'GET',
  path: '/api/oauth/linuxdo',
  role,
  isCritical: true,
  summary: 'Signs in with a code of Linux DO, or binds the identity to whoever is signed in',
  query: OauthCallback,
  reply: SignedIn,
})

export const signInWithWechat = endpoint({
  method: 'GET',
  path: '/api/oauth/wechat',
  role,
  isCritical: true,
  summary: 'Signs in with a code that the WeChat account has sent',
  query: z.object({ code: Code }),
  reply: User,
})

const WIDGET_FIELDS_MAX = 20
/** The widget gives numbers to scripts and texts to addresses. */
const WidgetText = z.union([z.number(), ShortText.min(1)]).transform(String)

/** Every field that the widget gave: all but `hash` are signed. */
const WidgetFields = z
  .object({ id: WidgetText, auth_date: WidgetText, hash: WidgetText })
  .catchall(z.union([z.number(), ShortText]).transform(String))
  .refine(
    fields => Object.keys(fields).length <= WIDGET_FIELDS_MAX,
    localizedError('字段过多', 'these are more fields than the widget gives'),
  )

export const signInWithTelegram = endpoint({
  method: 'GET',
  path: '/api/oauth/telegram/login',
  role,
  isCritical: true,
  summary: "Signs in with what Telegram's widget gave, for accounts that Telegram is bound to",
  query: WidgetFields,
  reply: User,
})

const bindingWechat = {
  path: '/api/oauth/wechat/bind',
  role: 'user',
  isCritical: true,
  summary: 'Binds WeChat to the own account, by a code that the WeChat account has sent',
} as const
export const bindWechat = endpoint({ method: 'GET', ...bindingWechat, query: z.object({ code: Code }) })
export const bindWechatByPost = endpoint({ method: 'POST', ...bindingWechat, body: z.object({ code: Code }) })

const bindingTelegram = {
  path: '/api/oauth/telegram/bind',
  role: 'user',
  isCritical: true,
  summary: "Binds Telegram to the own account, by what Telegram's widget gave",
} as const
export const bindTelegram = endpoint({ method: 'GET', ...bindingTelegram, query: WidgetFields })
export const bindTelegramByPost = endpoint({ method: 'POST', ...bindingTelegram, body: WidgetFields })

export const Binding = z.enum(['email', 'github', 'linuxdo', 'wechat', 'telegram'])
export type Binding = z.infer<typeof Binding>

export const unbind = endpoint({
  method: 'POST',
  path: '/api/oauth/unbind',
  role: 'user',
  summary: 'Takes a binding off the own account, as long as another way to sign in is left',
  body: z.object({ binding: Binding }),
})
