import type { Generated } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'

/** A program that asks to sign in to somebody's account (RFC 8628). Both codes are keyed hashes. */
export interface DeviceCodeTable {
  device_hash: string
  user_code_hash: string
  /** The program's name for itself; empty when it gave none. */
  client_name: string
  /** The address that asked. */
  address: string
  created_at: number
  expires_at: number
  polled_at_ms: Generated<number>
  decision: Generated<'pending' | 'approved' | 'denied'>
  /** The user who decided; null before. */
  user_id: number | null
  token_name: Generated<string>
  token_group: Generated<string>
}

/** The refresh token of a program that signed in by device code. It has a constant and a changing half. */
export interface DeviceGrantTable {
  /** Keyed hash of the constant half, which recognizes refresh tokens that were used before. */
  family_hash: string
  /** Keyed hash of the changing half. */
  secret_hash: string
  user_id: number
  token_id: number
  /** Keyed hash of the network that used it last. */
  network_hash: string
  /** The expiry that was last given to the token: another one was set by its owner. */
  access_expires_at: number
  expires_at: number
}

/** A type, since an interface does not join the tables of the base. */
export type DeviceSignInTables = {
  device_codes: DeviceCodeTable
  device_grants: DeviceGrantTable
}

/** The database with the tables of this feature. */
export const withDeviceTables = (db: Database) => db.withTables<DeviceSignInTables>()
