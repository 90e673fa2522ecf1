import type { Generated } from 'kysely'
import type { FactorKind } from '#contract/accounts/reauthentication.ts'
import type { Database } from '#server/db/engine/database.ts'

export interface SecondFactorTable {
  id: Generated<number>
  user_id: number
  kind: FactorKind
  /** As its owner calls it. */
  name: string
  /** Of an authenticator app, encrypted; otherwise empty. */
  secret_sealed: Generated<string>
  /** Of a passkey, in Base64url; otherwise null. */
  credential_id: string | null
  /** Of a passkey, in Base64url; otherwise empty. */
  public_key: Generated<string>
  /** How often a passkey was used, as it says; 0: it does not count. */
  counter: Generated<number>
  /** The newest step of 30 seconds of which a code was taken. */
  last_step: Generated<number>
  created_at: number
  used_at: Generated<number>
  /** 0 until an authenticator app has shown its first code. */
  is_confirmed: 0 | 1
}

/** Codes that were not used yet. */
interface RecoveryCodeTable {
  /** Keyed hash of code and user. */
  code_hash: string
  user_id: number
}

/** A type, since an interface does not join the tables of the base. */
export type FactorTables = { second_factors: SecondFactorTable; recovery_codes: RecoveryCodeTable }

/** The database with the tables of this feature. */
export const withFactorTables = (db: Database) => db.withTables<FactorTables>()
