import { z } from 'zod'
import { auditedRecord } from '#contract/audited-records.ts'
import { endpoint, IdParams } from '#contract/endpoint.ts'
import { numberField, textField } from '#contract/fields.ts'
import { BASE, bySlug, Slug } from './openid.ts'

const OpenIdIdentity = z
  .object({
    slug: Slug,
    name: textField('Name of the provider.', 'Company'),
    created_time: numberField('Unix seconds of the first sign-in.', 1_764_115_114),
  })
  .meta({ id: 'OpenIdIdentity', description: 'An account at an OpenID provider.' })

const identityRecord = auditedRecord('identity', 'openid_identities', {
  key: 'provider',
  columns: ['subject', 'user_id'],
  createdAt: 'created_at',
})

export const listOwnOpenIdIdentities = endpoint({
  method: 'GET',
  path: `${BASE}/self`,
  role: 'user',
  summary: 'List the OpenID providers linked to your account',
  reply: z.array(OpenIdIdentity),
})

export const unlinkOpenIdIdentity = endpoint({
  method: 'DELETE',
  path: `${BASE}/self/:slug`,
  role: 'user',
  needs: 'recent-sign-in',
  changes: identityRecord,
  changedRows: ({ callerId }) => ({ user_id: [callerId] }),
  summary: 'Unlink an OpenID provider from your account',
  description: 'A password or another identity must remain to sign in with.',
  params: bySlug,
})

const ofUser = z.object({ id: IdParams.shape.id, slug: Slug })

export const listOpenIdIdentities = endpoint({
  method: 'GET',
  path: '/api/user/:id/identities',
  role: 'admin',
  summary: 'List the OpenID providers linked to a user',
  description: 'Of users of a lower role, and your own. Super administrators may read all.',
  params: IdParams,
  reply: z.array(OpenIdIdentity),
})

export const removeOpenIdIdentity = endpoint({
  method: 'DELETE',
  path: '/api/user/:id/identities/:slug',
  role: 'admin',
  needs: 'recent-sign-in',
  changes: identityRecord,
  changedRows: ({ params }) => ({ user_id: [params.id] }),
  summary: 'Unlink an OpenID provider from a user',
  description:
    'Of a user of a lower role: all sessions and access tokens of the user end. Where it was the only way to sign in, set a password.',
  params: ofUser,
})
