import { z } from 'zod'
import { auditedRecord, RECORDS } from '#contract/audited-records.ts'
import { COST, endpoint, ownRow } from '#contract/endpoint.ts'
import { User } from '#contract/entities/user.ts'
import { flagField, localizedError, numberField, textField } from '#contract/fields.ts'

const TEXT_LENGTH_MAX = 2000
const LIST_LENGTH_MAX = 200
const NAME_LENGTH_MAX = 40
/** Sign-in methods that have a page of this name already. */
const OTHER_METHODS: readonly string[] = ['github', 'linuxdo', 'telegram', 'wechat', 'openid']

const Text = z.string().trim().max(TEXT_LENGTH_MAX)

export const Slug = z
  .string()
  .trim()
  .toLowerCase()
  .refine(
    slug => /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/.test(slug),
    localizedError('标识只能包含小写字母、数字和连字符', 'a slug has lower-case letters, digits and hyphens'),
  )
  .refine(
    slug => !OTHER_METHODS.includes(slug),
    localizedError('该标识已被其他登录方式占用', 'another sign-in method has this slug'),
  )
  .meta({ description: 'Part of the callback address; cannot be changed later.', example: 'company' })

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** An issuer on this machine needs no encryption; any other does. */
const isIssuer = (text: string): boolean => {
  const url = URL.parse(text)
  if (!url || url.search || url.hash || url.username || url.password) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.includes(url.hostname))
}

const Issuer = Text.refine(
  isIssuer,
  localizedError('Issuer 必须是不含参数的 https 地址', 'an issuer is an https address without a query'),
).meta({
  description: 'Issuer of the provider; `/.well-known/openid-configuration` is read below it.',
  example: 'https://login.example.com/realms/company',
})

const List = z.array(z.string().trim().min(1).max(TEXT_LENGTH_MAX)).max(LIST_LENGTH_MAX)

export const PROVISIONING = ['everyone', 'invited', 'nobody'] as const

const GroupRule = z.object({
  value: z.string().trim().min(1).max(TEXT_LENGTH_MAX).meta({
    description: 'Group at the provider.',
    example: 'gateway-admins',
  }),
  role: z.enum(['user', 'admin']).meta({ description: 'Role of its members.', example: 'admin' }),
  group: z.string().trim().max(TEXT_LENGTH_MAX).meta({
    description: 'User group of its members; empty: the default.',
    example: 'vip',
  }),
})
export type GroupRule = z.infer<typeof GroupRule>

/** Owners are made by hand, so that no provider can leave an organisation without one. */
export const MAPPED_ROLES = ['member', 'billing', 'admin'] as const

const MembershipRule = z.object({
  value: GroupRule.shape.value,
  organization_id: z.number().int().positive().meta({ description: 'Id of the organisation.', example: 12 }),
  role: z.enum(MAPPED_ROLES).meta({ description: 'Role in the organisation.', example: 'member' }),
})
export type MembershipRule = z.infer<typeof MembershipRule>

const settingsOf = {
  name: z.string().trim().min(1).max(NAME_LENGTH_MAX).meta({
    description: 'Shown on the sign-in button.',
    example: 'Company',
  }),
  issuer: Issuer,
  client_id: Text.min(1).meta({ description: 'Client ID at the provider.', example: 'tollgate' }),
  is_enabled: flagField('Offered at sign-in.', true),
  scopes: Text.default('openid profile email').meta({
    description: 'Scopes to ask for; `openid` is always among them.',
    example: 'openid profile email groups',
  }),
  provisioning: z.enum(PROVISIONING).meta({
    description:
      'Who gets an account at the first sign-in: everyone whom the provider lets in, those who follow an invitation link, or nobody.',
    example: 'everyone',
  }),
  domains: List.default([]).meta({
    description: 'Domains of verified email addresses that may sign in; empty: all.',
    example: ['example.com'],
  }),
  subject_claim: Text.min(1).default('sub').meta({
    description:
      'Claim that identifies a person and is never reassigned. It is what SCIM sends as `externalId`: `oid` at Microsoft Entra.',
    example: 'sub',
  }),
  groups_claim: Text.default('groups').meta({
    description: 'Claim that lists the groups; a dot reads within an object.',
    example: 'realm_access.roles',
  }),
  required_groups: List.default([]).meta({
    description: 'Groups of which one is needed to sign in; empty: none.',
    example: ['employees'],
  }),
  rules: z.array(GroupRule).max(LIST_LENGTH_MAX).default([]).meta({
    description:
      'Role and user group by group at the provider, set with each sign-in; the first match counts. Without rules both stay as they are.',
  }),
  memberships: z.array(MembershipRule).max(LIST_LENGTH_MAX).default([]).meta({
    description:
      'Memberships of organisations by group at the provider, begun, changed and ended with each sign-in and by SCIM. All matches count, of one organisation the highest role. Memberships that began otherwise stay as they are.',
  }),
  signs_out: z.boolean().default(false).meta({
    description: 'Signing out here signs out at the provider too.',
    example: false,
  }),
} as const

export const OpenIdProviderSettings = z.object({
  ...settingsOf,
  client_secret: Text.default('').meta({
    format: 'password',
    description: 'Client secret; empty keeps the stored one.',
    example: '',
  }),
})
export type OpenIdProviderSettings = z.output<typeof OpenIdProviderSettings>

export const OpenIdProvider = z
  .object({
    slug: Slug,
    ...settingsOf,
    has_secret: flagField('A client secret is stored.', true),
    callback: textField(
      'Redirect URI to register at the provider.',
      'https://gate.example.com/oauth/company',
    ),
    logout_callback: textField(
      'Address for back-channel logout at the provider.',
      'https://gate.example.com/oauth/openid/backchannel-logout',
    ),
    users: numberField('Users who have signed in with it.', 12),
    scim_address: textField('Base address for SCIM 2.0.', 'https://gate.example.com/scim/v2'),
    has_scim_token: flagField('The provider may call by SCIM.', false),
  })
  .meta({ id: 'OpenIdProvider', description: 'An OpenID provider that users sign in with.' })
export type OpenIdProvider = z.infer<typeof OpenIdProvider>

export const bySlug = z.object({ slug: Slug })
const providerRecord = auditedRecord('openid-provider', 'openid_providers', {
  key: 'slug',
  columns: [
    'name',
    'issuer',
    'client_id',
    'is_enabled',
    'scopes',
    'provisioning',
    'domains',
    'subject_claim',
    'groups_claim',
    'required_groups',
    'rules',
    'memberships',
    'signs_out',
  ],
  secrets: ['client_secret_sealed', 'scim_token_hash'],
})
export const BASE = '/api/oauth/openid'
/** Paths outside the management API: browsers and providers call them without its headers. */
export const OPENID_PATHS = {
  signOut: '/oauth/openid/logout',
  backchannel: '/oauth/openid/backchannel-logout',
  scim: '/scim/v2',
} as const

export const listOpenIdButtons = endpoint({
  method: 'GET',
  path: `${BASE}/buttons`,
  role: 'visitor',
  summary: 'List the OpenID providers that one can sign in with',
  reply: z.array(
    z.object({
      slug: Slug,
      name: textField('Display name.', 'Company'),
    }),
  ),
})

const OpenIdStart = z.object({
  url: textField(
    'Address of the provider to send the browser to.',
    'https://login.example.com/authorize?client_id=tollgate&state=…',
  ),
})

export const startOpenIdSignIn = endpoint({
  method: 'POST',
  path: `${BASE}/:slug/start`,
  role: 'visitor',
  summary: 'Start a sign-in with an OpenID provider',
  description: 'The sign-in is bound to this session and valid once, for ten minutes.',
  params: bySlug,
  body: z.object({
    aff: Text.default('').meta({ description: 'Invitation code of another user.', example: 'hJ4sK9dQ' }),
  }),
  reply: OpenIdStart,
})

export const testOpenIdProvider = endpoint({
  method: 'POST',
  path: `${BASE}/:slug/test`,
  role: 'root',
  summary: 'Start a test sign-in with an OpenID provider',
  description: 'Shows the claims and signs nobody in; also possible while the provider is off.',
  params: bySlug,
  reply: OpenIdStart,
})

const CALLBACK_FIELDS_MAX = 20

const CallbackParams = z
  .record(z.string().max(NAME_LENGTH_MAX), z.string().max(TEXT_LENGTH_MAX * 2))
  .refine(
    params => Object.keys(params).length <= CALLBACK_FIELDS_MAX,
    localizedError('回调参数过多', 'these are more parameters than a callback has'),
  )
  .meta({
    format: 'password',
    description: 'The query of the callback.',
    example: { code: 'a1b2c3', state: '…' },
  })

export const receiveCallbackForm = endpoint({
  method: 'POST',
  path: '/oauth/:provider',
  role: 'visitor',
  audit: 'none',
  summary: 'Return from an identity provider by a form',
  description:
    'For providers that let the browser post what others write into the query (`response_mode=form_post`). Redirects to the page of the same address with the fields as its query, which finishes the sign-in.',
  params: z.object({
    provider: Text.meta({
      description: 'The name of the provider in its callback address.',
      example: 'github',
    }),
  }),
  accepts: 'form',
  body: CallbackParams,
  produces: 'text/html',
})

const OpenIdOutcome = z
  .object({
    user: User.optional().meta({ description: 'The user who is signed in now.' }),
    is_bound: flagField('The identity was linked to your account.', false),
    sign_out_url: z.string().optional().meta({
      description: 'Where the browser goes after it has signed out here. Absent: nowhere.',
      example: 'https://gate.example.com/oauth/openid/logout?session=…',
    }),
    test: z
      .object({
        claims: z.record(z.string(), z.unknown()).meta({
          description: 'What the provider says of the person.',
          example: { sub: '248289761001', email: 'ann@example.com', email_verified: true },
        }),
        problem: textField('Why this person could not sign in, in your language; empty: they could.', ''),
        username: textField('Whose account this is; empty: it would be a new one.', ''),
        role: textField('Role by the rules; empty: none applies.', 'admin'),
        group: textField('User group by the rules; empty: none applies.', 'vip'),
      })
      .optional()
      .meta({ description: 'Of a test.' }),
  })
  .meta({ id: 'OpenIdOutcome', description: 'How a sign-in ended.' })
export type OpenIdOutcome = z.infer<typeof OpenIdOutcome>

export const finishOpenIdSignIn = endpoint({
  method: 'POST',
  path: `${BASE}/:slug/finish`,
  role: 'visitor',
  isCritical: true,
  audit: 'attempts',
  changes: RECORDS.user,
  changedRows: ownRow,
  summary: 'Finish a sign-in with an OpenID provider',
  description:
    'Takes the query with which the provider redirected back. Somebody who is signed in already links the identity to their account, which needs a recent sign-in.',
  params: bySlug,
  body: z.object({
    params: CallbackParams,
  }),
  reply: OpenIdOutcome,
})

export const listOpenIdProviders = endpoint({
  method: 'GET',
  path: `${BASE}/`,
  role: 'root',
  summary: 'List OpenID providers',
  reply: z.array(OpenIdProvider),
})

export const createOpenIdProvider = endpoint({
  method: 'POST',
  path: `${BASE}/`,
  role: 'root',
  needs: 'recent-sign-in',
  cost: COST.providerCall,
  changes: providerRecord,
  changedRows: ({ body }) => ({ slug: [body.slug] }),
  summary: 'Add an OpenID provider',
  description: 'The provider is asked for its configuration first, so that a wrong issuer is found at once.',
  body: OpenIdProviderSettings.extend({ slug: Slug }),
  reply: OpenIdProvider,
})

export const updateOpenIdProvider = endpoint({
  method: 'PUT',
  path: `${BASE}/:slug`,
  role: 'root',
  needs: 'recent-sign-in',
  cost: COST.providerCall,
  changes: providerRecord,
  changedRows: ({ params }) => ({ slug: [params.slug] }),
  summary: 'Change an OpenID provider',
  description:
    'Another issuer or client would make other people of the same subjects, so both stay as they are once users have signed in.',
  params: bySlug,
  body: OpenIdProviderSettings,
  reply: OpenIdProvider,
})

export const deleteOpenIdProvider = endpoint({
  method: 'DELETE',
  path: `${BASE}/:slug`,
  role: 'root',
  needs: 'recent-sign-in',
  changes: providerRecord,
  changedRows: ({ params }) => ({ slug: [params.slug] }),
  summary: 'Delete an OpenID provider',
  description: 'Its users keep their accounts and can no longer sign in with it.',
  params: bySlug,
})

export const createScimToken = endpoint({
  method: 'POST',
  path: `${BASE}/:slug/scim-token`,
  role: 'root',
  needs: 'recent-sign-in',
  changes: providerRecord,
  changedRows: ({ params }) => ({ slug: [params.slug] }),
  summary: 'Make the SCIM token of an OpenID provider',
  description: 'The token is shown once; the former one ends.',
  params: bySlug,
  reply: z.object({ token: textField('The bearer token.', 'scim_…') }),
})

export const deleteScimToken = endpoint({
  method: 'DELETE',
  path: `${BASE}/:slug/scim-token`,
  role: 'root',
  needs: 'recent-sign-in',
  changes: providerRecord,
  changedRows: ({ params }) => ({ slug: [params.slug] }),
  summary: 'End the SCIM access of an OpenID provider',
  params: bySlug,
})
