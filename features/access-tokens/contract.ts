import { z } from 'zod'
import { auditedRecord } from '#contract/audited-records.ts'
import { endpoint, IdParams } from '#contract/endpoint.ts'
import { AllowedAddresses } from '#contract/entities/token-fields.ts'
import { localizedError, numberField, textField } from '#contract/fields.ts'

const NAME_LENGTH_MAX = 40
const ID_LENGTH_MAX = 64
const SCOPES_MAX = 100
/** The end of the year 9999. */
export const NEVER_EXPIRES = 253_402_300_799
/** The one access token that has no name, all rights of its user and no expiry. */
export const SYSTEM_TOKEN_ID = 'system'
/** Every resource, reading and writing. */
export const ALL_SCOPES = '*:write'

const SCOPE = /^(?:[a-z_-]{1,40}|\*):(?:read|write)$/

const Scope = z
  .string()
  .refine(
    text => SCOPE.test(text),
    localizedError(
      '权限范围应为资源名加读或写，写法见文档',
      'a scope is a resource with :read or :write, such as token:read',
    ),
  )
  .meta({
    description: 'Resource and verb. `write` includes `read`, `*` is every resource.',
    example: 'token:read',
  })

const Limits = z.object({
  name: z.string().trim().min(1).max(NAME_LENGTH_MAX).meta({
    description: 'Name, which the audit log shows.',
    example: 'deployment',
  }),
  scopes: z
    .array(Scope)
    .min(1)
    .max(SCOPES_MAX)
    .meta({
      description:
        'What the token may call. The resource is the first segment of the path behind `/api/`, or `metrics`; `read` is GET.',
      example: ['token:write', 'log:read'],
    }),
  ips: AllowedAddresses.default('').meta({
    description: 'Client addresses and CIDR ranges that may use it, one per line. Empty: all.',
    example: '203.0.113.0/24',
  }),
  expires_time: z.number().int().min(0).max(NEVER_EXPIRES).default(0).meta({
    description: 'Unix seconds of the expiry, after which the token is deleted; 0: never.',
    example: 0,
  }),
})

export const AccessToken = Limits.extend({
  id: textField('Names the token; it opens nothing.', '3f9a'),
  name: textField('Name; empty: the one without a name.', 'deployment'),
  ips: textField('Addresses that may use it, one per line; empty: all.', ''),
  created_time: numberField('Unix seconds; 0: unknown.', 1_760_000_000),
  used_time: numberField(
    'Unix seconds of the last call, within a minute; 0: none, or unknown.',
    1_760_000_600,
  ),
  address: textField('Of the client, at the last call.', '203.0.113.7'),
}).meta({ id: 'AccessToken', description: 'An access token of the management API.' })
export type AccessToken = z.infer<typeof AccessToken>

const RECORD = auditedRecord('access-token', 'sessions', {
  key: 'id_hash',
  columns: ['user_id', 'name', 'scopes', 'ips', 'expires_at'],
  createdAt: 'created_at',
})
const WHOSE = 'Of the caller, and for administrators of users whose role is below their own.'

export const listAccessTokens = endpoint({
  method: 'GET',
  path: '/api/user/:id/access_tokens',
  role: 'user',
  summary: 'List the access tokens of a user',
  description: `${WHOSE} Newest first.`,
  params: IdParams,
  reply: z.object({
    items: z.array(AccessToken).meta({ description: 'The tokens.' }),
    resources: z.array(z.string()).meta({
      description: 'The resources that a scope of your own tokens can name.',
      example: ['log', 'token', 'user'],
    }),
  }),
})

export const createAccessToken = endpoint({
  method: 'POST',
  path: '/api/user/access_tokens',
  role: 'user',
  changes: RECORD,
  changedRows: ({ callerId }) => ({ user_id: [callerId] }),
  needs: 'recent-sign-in',
  summary: 'Create an access token',
  description:
    'For the management API. It ends with the sessions of its owner: with a new password, a ban, a demotion, or removal by the identity provider.',
  body: Limits,
  reply: z.object({
    token: textField(
      'The token, which is never shown again.',
      'tlgt-at-Qk3vT8nXw1Lr6YbZ0sPd4Fm9Ha2Jc7Gu5EoBiNtK',
    ),
  }),
})

export const deleteAccessToken = endpoint({
  method: 'DELETE',
  path: '/api/user/:id/access_tokens/:token',
  role: 'user',
  changes: RECORD,
  changedRows: ({ params }) => ({ user_id: [params.id] }),
  summary: 'Delete an access token of a user',
  description: `${WHOSE} Calls with it are refused at once.`,
  params: IdParams.extend({
    token: z
      .string()
      .max(ID_LENGTH_MAX)
      .meta({
        description: `Id of the token; \`${SYSTEM_TOKEN_ID}\`: the one without a name.`,
        example: '3f9a',
      }),
  }),
})
