import type { Insertable, Selectable } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'
import { type DeviceCodeTable, type DeviceGrantTable, withDeviceTables } from './tables.ts'

export type DeviceCodeRow = Selectable<DeviceCodeTable>
export type DeviceGrantRow = Selectable<DeviceGrantTable>

/** Deletes codes and grants whose time is over. */
export async function deleteExpiredSignIns(db: Database, nowSeconds: number): Promise<void> {
  await withDeviceTables(db).deleteFrom('device_codes').where('expires_at', '<=', nowSeconds).execute()
  await withDeviceTables(db).deleteFrom('device_grants').where('expires_at', '<=', nowSeconds).execute()
}

export async function insertDeviceCode(db: Database, code: Insertable<DeviceCodeTable>): Promise<void> {
  await withDeviceTables(db).insertInto('device_codes').values(code).execute()
}

/** The code while it waits for a decision; undefined when it is unknown, expired or decided. */
export const findPendingCode = (
  db: Database,
  userCodeHash: string,
  nowSeconds: number,
): Promise<DeviceCodeRow | undefined> =>
  withDeviceTables(db)
    .selectFrom('device_codes')
    .selectAll()
    .where('user_code_hash', '=', userCodeHash)
    .where('decision', '=', 'pending')
    .where('expires_at', '>', nowSeconds)
    .executeTakeFirst()

type CodeDecision = Pick<DeviceCodeRow, 'decision' | 'token_name' | 'token_group'> & {
  readonly user_id: number
}

/** Decides a pending code. False when it was decided before, or has expired: only one decision counts. */
export async function decideCode(
  tx: Database,
  userCodeHash: string,
  decision: CodeDecision,
  nowSeconds: number,
): Promise<boolean> {
  const { numUpdatedRows } = await withDeviceTables(tx)
    .updateTable('device_codes')
    .set(decision)
    .where('user_code_hash', '=', userCodeHash)
    .where('decision', '=', 'pending')
    .where('expires_at', '>', nowSeconds)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

export const findDeviceCode = (
  db: Database,
  deviceHash: string,
  nowSeconds: number,
): Promise<DeviceCodeRow | undefined> =>
  withDeviceTables(db)
    .selectFrom('device_codes')
    .selectAll()
    .where('device_hash', '=', deviceHash)
    .where('expires_at', '>', nowSeconds)
    .executeTakeFirst()

/** Notes a poll. False when the previous one was after `polledUntilMs`. */
export async function notePoll(
  db: Database,
  deviceHash: string,
  { nowMs, polledUntilMs }: { readonly nowMs: number; readonly polledUntilMs: number },
): Promise<boolean> {
  const { numUpdatedRows } = await withDeviceTables(db)
    .updateTable('device_codes')
    .set({ polled_at_ms: nowMs })
    .where('device_hash', '=', deviceHash)
    .where('polled_at_ms', '<=', polledUntilMs)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Deletes a decided code. False when another call has done so: a code is exchanged once. */
export async function consumeDeviceCode(tx: Database, deviceHash: string): Promise<boolean> {
  const { numDeletedRows } = await withDeviceTables(tx)
    .deleteFrom('device_codes')
    .where('device_hash', '=', deviceHash)
    .where('decision', '<>', 'pending')
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}

export async function insertDeviceGrant(tx: Database, grant: DeviceGrantRow): Promise<void> {
  await withDeviceTables(tx).insertInto('device_grants').values(grant).execute()
}

export const findDeviceGrant = (
  db: Database,
  familyHash: string,
  nowSeconds: number,
): Promise<DeviceGrantRow | undefined> =>
  withDeviceTables(db)
    .selectFrom('device_grants')
    .selectAll()
    .where('family_hash', '=', familyHash)
    .where('expires_at', '>', nowSeconds)
    .executeTakeFirst()

type GrantRotation = Pick<DeviceGrantRow, 'secret_hash' | 'network_hash' | 'access_expires_at' | 'expires_at'>

/** Replaces the changing half. False when another call has replaced it since. */
export async function rotateDeviceGrant(
  tx: Database,
  { family_hash, secret_hash }: DeviceGrantRow,
  rotation: GrantRotation,
): Promise<boolean> {
  const { numUpdatedRows } = await withDeviceTables(tx)
    .updateTable('device_grants')
    .set(rotation)
    .where('family_hash', '=', family_hash)
    .where('secret_hash', '=', secret_hash)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

export async function deleteDeviceGrant(tx: Database, familyHash: string): Promise<void> {
  await withDeviceTables(tx).deleteFrom('device_grants').where('family_hash', '=', familyHash).execute()
}

/** Ends all sign-ins of a user, approved and not yet exchanged ones too. Returns the ids of their tokens. */
export async function deleteDeviceSignInsOfUser(tx: Database, userId: number): Promise<readonly number[]> {
  await withDeviceTables(tx).deleteFrom('device_codes').where('user_id', '=', userId).execute()
  const grants = await withDeviceTables(tx)
    .deleteFrom('device_grants')
    .where('user_id', '=', userId)
    .returning('token_id')
    .execute()
  return grants.map(({ token_id }) => token_id)
}

/** The grant behind an access token. */
export const findDeviceGrantOfToken = (db: Database, keyHash: string): Promise<DeviceGrantRow | undefined> =>
  withDeviceTables(db)
    .selectFrom('device_grants')
    .innerJoin('tokens', 'tokens.id', 'device_grants.token_id')
    .selectAll('device_grants')
    .where('tokens.key_hash', '=', keyHash)
    .where('tokens.deleted_at', 'is', null)
    .executeTakeFirst()

/** Gives a token another key and expiry. A token that had only expired is usable again. */
export async function replaceTokenKey(
  tx: Database,
  tokenId: number,
  columns: {
    readonly key_hash: string
    readonly key_sealed: string
    readonly expired_time: number
    readonly status: number
  },
): Promise<void> {
  await tx.updateTable('tokens').set(columns).where('id', '=', tokenId).execute()
}
