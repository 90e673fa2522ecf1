import type { Insertable, Selectable } from 'kysely'
import { contains } from './contains.ts'
import type { Database } from './database.ts'
import type { TokenTable } from './tables.ts'

export type TokenRow = Selectable<TokenTable>
export type NewToken = Omit<Insertable<TokenTable>, 'id' | 'remain_quota' | 'used_quota' | 'deleted_at'>
/** The limit itself changes only together with a posting. */
export type TokenUpdate = Partial<
  Pick<
    TokenRow,
    | 'name'
    | 'status'
    | 'expired_time'
    | 'unlimited_quota'
    | 'model_limits_enabled'
    | 'model_limits'
    | 'allow_ips'
    | 'group'
  >
>

interface Page {
  readonly offset: number
  readonly limit: number
}

const living = (db: Database, userId: number) =>
  db.selectFrom('tokens').where('user_id', '=', userId).where('deleted_at', 'is', null)

/** Newest first. */
export const listTokens = (db: Database, userId: number, { offset, limit }: Page): Promise<TokenRow[]> =>
  living(db, userId).selectAll().orderBy('id', 'desc').offset(offset).limit(limit).execute()

export async function countTokens(db: Database, userId: number): Promise<number> {
  const { count } = await living(db, userId)
    .select(select => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Newest first, by part of the name. */
export const listTokensByName = (
  db: Database,
  userId: number,
  part: string,
  limit: number,
): Promise<TokenRow[]> =>
  living(db, userId)
    .selectAll()
    .where(where => contains(where.ref('name'), part))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** A token of this owner that is not deleted. */
export const findToken = (db: Database, userId: number, id: number): Promise<TokenRow | undefined> =>
  living(db, userId).selectAll().where('id', '=', id).executeTakeFirst()

export async function insertToken(tx: Database, token: NewToken): Promise<number> {
  const { id } = await tx.insertInto('tokens').values(token).returning('id').executeTakeFirstOrThrow()
  return id
}

export async function updateToken(tx: Database, id: number, change: TokenUpdate): Promise<void> {
  if (Object.keys(change).length === 0) return
  await tx.updateTable('tokens').set(change).where('id', '=', id).execute()
}

/** False when there was no such token, or it was deleted before. */
export async function deleteToken(
  tx: Database,
  userId: number,
  id: number,
  atSeconds: number,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('tokens')
    .set({ deleted_at: atSeconds })
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
