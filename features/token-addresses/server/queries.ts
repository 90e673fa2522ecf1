import { type Selectable, sql } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'

interface TokenAddressTable {
  token_id: number
  address: string
  /** Unix seconds. */
  first_time: number
  last_time: number
}

/** A type, since an interface does not join the tables of the base. */
type TokenAddressTables = { token_addresses: TokenAddressTable }

const withAddressTable = (db: Database) => db.withTables<TokenAddressTables>()

export type TokenAddressRow = Readonly<Selectable<TokenAddressTable>>

/** Adds addresses, and moves the last use of known ones on. */
export async function upsertAddresses(db: Database, rows: readonly TokenAddressRow[]): Promise<void> {
  await withAddressTable(db)
    .insertInto('token_addresses')
    .values(rows)
    .onConflict(conflict =>
      conflict
        .columns(['token_id', 'address'])
        .doUpdateSet(({ ref }) => ({ last_time: ref('excluded.last_time') })),
    )
    .execute()
}

/** Of a token, used last first. */
export const listAddresses = (db: Database, tokenId: number, limit: number) =>
  withAddressTable(db)
    .selectFrom('token_addresses')
    .select(['address', 'first_time', 'last_time'])
    .where('token_id', '=', tokenId)
    .orderBy('last_time', 'desc')
    .orderBy('address')
    .limit(limit)
    .execute()

/** Deletes all addresses of a token but the `kept` that were used last. */
export async function deleteEarlierAddresses(db: Database, tokenId: number, kept: number): Promise<void> {
  await sql`delete from token_addresses where token_id = ${tokenId} and address not in (
    select address from token_addresses where token_id = ${tokenId}
    order by last_time desc, address limit ${kept})`.execute(db)
}

/** Deletes at most `limit` rows and returns their number. */
export async function deleteAddressesUnusedSince(
  db: Database,
  lastTime: number,
  limit: number,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`delete from token_addresses where (token_id, address) in (
    select token_id, address from token_addresses where last_time < ${lastTime} limit ${limit})`.execute(db)
  return Number(numAffectedRows)
}

export async function deleteAddressesOfUser(db: Database, userId: number): Promise<void> {
  await sql`delete from token_addresses where token_id in (
    select id from tokens where user_id = ${userId})`.execute(db)
}
