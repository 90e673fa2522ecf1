import type { Database } from '#server/db/engine/database.ts'

/** An OpenID provider as the super administrator has set it up. Lists are JSON. */
export interface OpenIdProviderTable {
  slug: string
  name: string
  issuer: string
  client_id: string
  /** Encrypted; empty for a public client. */
  client_secret_sealed: string
  is_enabled: number
  scopes: string
  provisioning: string
  domains: string
  groups_claim: string
  required_groups: string
  rules: string
  memberships: string
  signs_out: number
  /** Keyed hash of the bearer token for SCIM; empty for none. */
  scim_token_hash: string
  subject_claim: string
  created_at: number
  updated_at: number
}

/** Whom a subject of a provider is here. */
export interface OpenIdIdentityTable {
  provider: string
  subject: string
  user_id: number
  created_at: number
}

/** A sign-in that a provider vouched for, as long as its session may last. */
export interface OpenIdSessionTable {
  /** Keyed hash of what the browser shows when it signs out. */
  handle_hash: string
  provider: string
  user_id: number
  /** The provider's name for its own session; empty when it gives none. */
  sid: string
  /** Encrypted. */
  id_token_sealed: string
  expires_at: number
}

/** A type, since an interface does not join the tables of the base. */
export type OpenIdTables = {
  openid_providers: OpenIdProviderTable
  openid_identities: OpenIdIdentityTable
  openid_sessions: OpenIdSessionTable
}

/** The database with the tables of OpenID Connect. */
export const withOpenIdTables = (db: Database) => db.withTables<OpenIdTables>()
