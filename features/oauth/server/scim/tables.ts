import type { Database } from '#server/db/engine/database.ts'

/** A user as an identity provider keeps them. */
export interface ScimUserTable {
  id: string
  /** Slug of the OpenID provider. */
  provider: string
  user_id: number
  /** In lower case, as names are compared. */
  user_name: string
  external_id: string
  is_active: number
  /** The SCIM resource as it was sent, as JSON. */
  body: string
  /** Milliseconds. */
  created_at: number
  updated_at: number
  version: number
  /** Milliseconds; 0: the provider still has the user. A deleted one keeps its account, in case it comes back. */
  deleted_at: number
}

export interface ScimGroupTable {
  id: string
  provider: string
  display_name: string
  external_id: string
  /** Milliseconds. */
  created_at: number
  updated_at: number
  version: number
}

export interface ScimMemberTable {
  group_id: string
  scim_user_id: string
  /** The name that the provider has given the member; empty for none. */
  display: string
}

/** A type, since an interface does not join the tables of the base. */
export type ScimTables = {
  scim_users: ScimUserTable
  scim_groups: ScimGroupTable
  scim_members: ScimMemberTable
}

/** The database with the tables of SCIM. */
export const withScimTables = (db: Database) => db.withTables<ScimTables>()
