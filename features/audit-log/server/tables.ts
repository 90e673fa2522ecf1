import type { Database } from '#server/db/engine/database.ts'

/** What somebody did. Rows are never changed, and deleted only from the oldest on. */
export interface AuditLogTable {
  /** Counts from 1 without gaps. */
  id: number
  created_at: number
  /** 0: a visitor or the command line. */
  actor_id: number
  actor_name: string
  /** `session`, `access-token`, `scim`, `openid`, `command`, `job` or `none`. */
  credential: string
  address: string
  request_id: string
  /** Method and path, or the command. */
  action: string
  /** Kind of the records that were changed; empty for none. */
  kind: string
  /** Empty for success, else the code of the error. */
  code: string
  /** JSON: `AuditDetails`. */
  details: string
  /** Keyed hash of this row and the hash of its predecessor. */
  hash: string
}

/** A record that a row concerns, for its history. */
export interface AuditTargetTable {
  kind: string
  target: string
  audit_id: number
}

/** The ends of the chain: `last` is the newest row, `first` the newest one that retention has deleted. */
export interface AuditEndTable {
  name: string
  audit_id: number
  hash: string
  /** Keyed hash of the other columns, so that nobody without the secret key moves an end. */
  proof: string
}

/** A type, since an interface does not join the tables of the base. */
export type AuditTables = {
  audit_log: AuditLogTable
  audit_targets: AuditTargetTable
  audit_ends: AuditEndTable
}

/** The database with the tables of this feature. */
export const withAuditTables = (db: Database) => db.withTables<AuditTables>()
