import type { Generated } from 'kysely'
import type { OrganizationRole } from '#contract/enums.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { MEMBER_STATUSES } from '../contract/fields.ts'

/** A person in an organisation, or one who may join. Rows stay when the person has left. */
interface MemberTable {
  id: Generated<number>
  /** The account of the organisation. */
  organization_id: number
  /** Null until the person joins. */
  user_id: number | null
  name: string
  email: string
  role: OrganizationRole
  status: (typeof MEMBER_STATUSES)[number]
  /** Keyed hash of the secret; null: there is no invitation. */
  invitation_hash: string | null
  /** Unix seconds, as all times. */
  invited_until: number
  created_at: number
  /** The identity provider that has made the person a member, and changes and ends that; empty: none. */
  source: Generated<string>
  joined_at: Generated<number>
  ended_at: Generated<number>
}

interface ProjectTable {
  id: Generated<number>
  organization_id: number
  name: string
  /** 0: never. */
  ends_at: number
  /** When its tokens were disabled; 0: it is open. */
  closed_at: Generated<number>
  created_at: number
}

/** A type, since an interface does not join the tables of the base. */
export type OrganizationTables = {
  organization_members: MemberTable
  organization_projects: ProjectTable
}

/** The database with the tables of this feature. */
export const withOrganizationTables = (db: Database) => db.withTables<OrganizationTables>()
