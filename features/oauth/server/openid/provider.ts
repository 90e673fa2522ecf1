import { z } from 'zod'
import type { ApiContext } from '#server/api/context.ts'
import type { Secrets } from '#server/core/crypto.ts'
import {
  type GroupRule,
  type MembershipRule,
  OPENID_PATHS,
  OpenIdProviderSettings,
  type OpenIdProvider as OpenIdProviderView,
} from '../../contract/openid.ts'
import { openIdError } from './errors.ts'
import type { OpenIdProviderTable } from './tables.ts'

/** An OpenID provider, its client secret in the clear. */
export interface OpenIdProvider extends OpenIdProviderSettings {
  readonly slug: string
  readonly updatedAt: number
  readonly hasScimToken: boolean
}

const Lists = z.array(z.string())
const Rules: z.ZodType<GroupRule[]> = OpenIdProviderSettings.shape.rules.unwrap()
const Memberships: z.ZodType<MembershipRule[]> = OpenIdProviderSettings.shape.memberships.unwrap()
const Provisioning = OpenIdProviderSettings.shape.provisioning

/** Throws when the secret was encrypted with another `SECRET_KEY`. */
export function toProvider(row: OpenIdProviderTable, secrets: Pick<Secrets, 'decrypt'>): OpenIdProvider {
  return {
    slug: row.slug,
    name: row.name,
    issuer: row.issuer,
    client_id: row.client_id,
    client_secret: row.client_secret_sealed && secrets.decrypt(row.client_secret_sealed),
    is_enabled: row.is_enabled === 1,
    scopes: row.scopes,
    provisioning: Provisioning.parse(row.provisioning),
    domains: Lists.parse(JSON.parse(row.domains)),
    groups_claim: row.groups_claim,
    required_groups: Lists.parse(JSON.parse(row.required_groups)),
    rules: Rules.parse(JSON.parse(row.rules)),
    memberships: Memberships.parse(JSON.parse(row.memberships)),
    signs_out: row.signs_out === 1,
    updatedAt: row.updated_at,
    hasScimToken: row.scim_token_hash !== '',
    subject_claim: row.subject_claim,
  }
}

/** The columns of settings; an empty secret keeps the stored one. */
export const toProviderColumns = (
  { client_secret, is_enabled, signs_out, ...settings }: OpenIdProviderSettings,
  secrets: Pick<Secrets, 'encrypt'>,
) => ({
  ...settings,
  ...(client_secret && { client_secret_sealed: secrets.encrypt(client_secret) }),
  is_enabled: Number(is_enabled),
  signs_out: Number(signs_out),
  domains: JSON.stringify(settings.domains),
  required_groups: JSON.stringify(settings.required_groups),
  rules: JSON.stringify(settings.rules),
  memberships: JSON.stringify(settings.memberships),
})

/** What administrators see: never the secret. */
export function toProviderView(provider: OpenIdProvider, users: number, address: string): OpenIdProviderView {
  const { client_secret, updatedAt: _, hasScimToken, ...settings } = provider
  return {
    ...settings,
    has_secret: client_secret !== '',
    callback: callbackOf(provider, address),
    logout_callback: address + OPENID_PATHS.backchannel,
    users,
    scim_address: address + OPENID_PATHS.scim,
    has_scim_token: hasScimToken,
  }
}

/** The page to which the provider redirects back. */
export const callbackOf = ({ slug }: Pick<OpenIdProvider, 'slug'>, address: string): string =>
  `${address}/oauth/${slug}`

/** The address of this installation, which every callback needs. Throws `openid.no_address`. */
export function requireAddress({ settings }: Pick<ApiContext, 'settings'>): string {
  const { ServerAddress } = settings.current().values
  if (ServerAddress === '') throw openIdError('no_address')
  return ServerAddress
}

const SCIM_TOKEN_PURPOSE = 'scim-token'

/** The hash under which a provider is found by its bearer token. */
export const hashScimToken = (secrets: Pick<Secrets, 'hash'>, token: string): string =>
  secrets.hash(SCIM_TOKEN_PURPOSE, token)
