import { z } from 'zod'
import { RECORDS } from '../audited-records.ts'
import { endpoint, ownRow } from '../endpoint.ts'
import { User } from '../entities/user.ts'
import { localizedError, textField } from '../fields.ts'
import { PRESENCE_DESCRIPTIONS } from '../presence.ts'

const TEXT_LENGTH_MAX = 2000
const role = 'visitor'
const ShortText = z.string().trim().max(TEXT_LENGTH_MAX)

export const getOauthState = endpoint({
  method: 'GET',
  path: '/api/oauth/state',
  role,
  summary: 'Start a sign-in with an identity provider',
  description: 'Returns the `state` that ties the sign-in to this session. Valid once, for ten minutes.',
  query: z.object({
    aff: ShortText.optional().meta({
      description: 'Invitation code of another user, for new accounts.',
      example: 'hJ4sK9dQ',
    }),
  }),
  reply: textField('The state.', 'n3VbQ7tZ1mKx9RwD5yLs2HcP8fJg4AuE'),
})

/** The parameters with which an identity provider redirects back: a code, or the reason why there is none. */
const OauthCallback = z.object({
  code: ShortText.default('').meta({
    format: 'password',
    description: 'Authorization code.',
    example: 'a1b2c3d4e5',
  }),
  state: ShortText.default('').meta({
    format: 'password',
    description: 'The state from `/api/oauth/state`.',
    example: 'n3VbQ7tZ1mKx9RwD5yLs2HcP8fJg4AuE',
  }),
  error: ShortText.optional().meta({ description: 'Error code of the provider.', example: 'access_denied' }),
  error_description: ShortText.optional().meta({
    description: 'Error message of the provider.',
    example: 'The user has denied access.',
  }),
})

const LINKS_WHEN_SIGNED_IN = `When you are signed in already, the identity is linked to your account: the message is \`bind\` and there is no data. ${PRESENCE_DESCRIPTIONS['recent-sign-in']} An identity that is linked to your account already reauthenticates you.`

const SignedInUser = User.optional()

export const signInWithGithub = endpoint({
  method: 'GET',
  path: '/api/oauth/github',
  role,
  audit: 'attempts',
  changes: RECORDS.user,
  changedRows: ownRow,
  summary: 'Sign in with GitHub, or link GitHub to your account',
  description: LINKS_WHEN_SIGNED_IN,
  query: OauthCallback,
  reply: SignedInUser,
})

export const signInWithLinuxdo = endpoint({
  method: 'GET',
  path: '/api/oauth/linuxdo',
  role,
  audit: 'attempts',
  changes: RECORDS.user,
  changedRows: ownRow,
  summary: 'Sign in with Linux DO, or link Linux DO to your account',
  description: LINKS_WHEN_SIGNED_IN,
  query: OauthCallback,
  reply: SignedInUser,
})

const WechatCode = z.object({
  code: ShortText.min(1).meta({
    format: 'password',
    description: 'The code that the WeChat account has sent.',
    example: '482913',
  }),
})

export const signInWithWechat = endpoint({
  method: 'GET',
  path: '/api/oauth/wechat',
  role,
  isCritical: true,
  audit: 'attempts',
  changes: RECORDS.user,
  changedRows: ownRow,
  summary: 'Sign in with WeChat',
  description:
    'A browser that navigates here is led to the console, since anybody can send a link with a code.',
  consolePage: '/login',
  query: WechatCode,
  reply: User,
})

const WIDGET_FIELDS_MAX = 20
/** The widget passes numbers to scripts and texts to URLs. */
const WidgetText = z.union([z.number(), ShortText.min(1)]).transform(String)

/**
 * All fields of the Telegram login widget: every field except `hash` and our own `state` is signed, so unknown ones must be
 * kept.
 */
export const TelegramLogin = z
  .object({
    state: ShortText.optional().meta({
      format: 'password',
      description: 'The state from `/api/oauth/state`, which the `data-auth-url` of the widget carries.',
      example: 'n3VbQ7tZ1mKx9RwD5yLs2HcP8fJg4AuE',
    }),
    id: WidgetText.meta({ description: 'Telegram user id.', example: '123456789' }),
    auth_date: WidgetText.meta({ description: 'Unix seconds of the sign-in.', example: '1760000000' }),
    hash: WidgetText.meta({
      format: 'password',
      description: 'HMAC-SHA-256 of the other fields, in hex.',
      example: 'f3b0c44298fc1c149afbf4c8996fb924',
    }),
  })
  .catchall(
    z
      .union([z.number(), ShortText])
      .transform(String)
      .meta({ description: 'Any further field of the widget, such as `username`.', example: 'alice' }),
  )
  .refine(
    fields => Object.keys(fields).length <= WIDGET_FIELDS_MAX,
    localizedError('字段过多', 'these are more fields than the widget gives'),
  )

export const signInWithTelegram = endpoint({
  method: 'GET',
  path: '/api/oauth/telegram/login',
  role,
  audit: 'attempts',
  changes: RECORDS.user,
  changedRows: ownRow,
  summary: 'Sign in with Telegram',
  description:
    'Only for accounts to which Telegram is bound. Takes all fields of the Telegram login widget, and the state of a sign-in that this session started. Without a state, only a script of our own pages may call (`sec-fetch-site: same-origin`), as older consoles do; anything else is refused with HTTP 403. A browser that navigates here is led to the console.',
  consolePage: '/oauth/telegram',
  query: TelegramLogin,
  reply: User,
})

const bindingWechat = {
  path: '/api/oauth/wechat/bind',
  role: 'user',
  isCritical: true,
  audit: 'attempts',
  changes: RECORDS.user,
  changedRows: ownRow,
  summary: 'Link WeChat to your account',
  description: PRESENCE_DESCRIPTIONS['recent-sign-in'],
} as const
export const bindWechat = endpoint({ method: 'GET', ...bindingWechat, query: WechatCode })
export const bindWechatByPost = endpoint({ method: 'POST', ...bindingWechat, body: WechatCode })

const bindingTelegram = {
  path: '/api/oauth/telegram/bind',
  role: 'user',
  isCritical: true,
  audit: 'attempts',
  changes: RECORDS.user,
  changedRows: ownRow,
  summary: 'Link Telegram to your account',
  description: `Takes all fields of the Telegram login widget. A browser that navigates to the GET form, as the widget does, is led to the console, which asks before it links the account. A \`state\` may be left out; one that this session did not start is refused with HTTP 403. ${PRESENCE_DESCRIPTIONS['recent-sign-in']}`,
} as const
export const bindTelegram = endpoint({
  method: 'GET',
  ...bindingTelegram,
  consolePage: '/oauth/telegram',
  query: TelegramLogin,
})
export const bindTelegramByPost = endpoint({ method: 'POST', ...bindingTelegram, body: TelegramLogin })

export const Binding = z.enum(['email', 'github', 'linuxdo', 'wechat', 'telegram'])
export type Binding = z.infer<typeof Binding>

export const unbind = endpoint({
  method: 'POST',
  path: '/api/oauth/unbind',
  role: 'user',
  changes: RECORDS.user,
  changedRows: ownRow,
  summary: 'Unlink an identity from your account',
  needs: 'recent-sign-in',
  description: 'Fails when no other way to sign in would remain.',
  body: z.object({
    binding: Binding.meta({ description: 'The identity to unlink.', example: 'github' }),
  }),
})
