import { type Selectable, sql } from 'kysely'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import type { StateOwner } from '../state-owner.ts'
import { isVisibleTo, type StoredResponseTable, withResponseTables } from '../tables.ts'

export type StoredResponseRow = Readonly<Selectable<StoredResponseTable>>

/** A response in a chain, without its texts. */
export type ChainLink = Pick<StoredResponseRow, 'id' | 'previous_id' | 'bytes'>

interface OwnedResponse {
  readonly id: string
  readonly owner: StateOwner
  readonly nowSeconds: number
}

export async function insertStoredResponse(db: Database, row: StoredResponseRow): Promise<void> {
  await withResponseTables(db).insertInto('stored_responses').values(row).execute()
}

/** Adds the response to a row that has only its input. */
export async function completeStoredResponse(
  db: Database,
  { id, response_encrypted, bytes }: Pick<StoredResponseRow, 'id' | 'response_encrypted' | 'bytes'>,
): Promise<void> {
  await withResponseTables(db)
    .updateTable('stored_responses')
    .set({ response_encrypted, bytes })
    .where('id', '=', id)
    .execute()
}

/** A complete response of the user. Undefined when there is none, whoever else may have it. */
export const selectStoredResponse = (
  db: Database,
  owned: OwnedResponse,
): Promise<StoredResponseRow | undefined> => completeResponses(db, owned).selectAll().executeTakeFirst()

/** The same without the input, which may be large. */
export const selectResponseText = (
  db: Database,
  owned: OwnedResponse,
): Promise<Pick<StoredResponseRow, 'response_encrypted' | 'user_id'> | undefined> =>
  completeResponses(db, owned).select(['response_encrypted', 'user_id']).executeTakeFirst()

const completeResponses = (db: Database, { id, owner, nowSeconds }: OwnedResponse) =>
  withResponseTables(db)
    .selectFrom('stored_responses')
    .where('id', '=', id)
    .where(isVisibleTo(owner))
    .where('expires_at', '>', nowSeconds)
    .where('response_encrypted', 'is not', null)

/** The response and its stored predecessors, the latest first. */
export async function selectChain(
  db: Database,
  { id, owner, nowSeconds }: OwnedResponse,
  linksMax: number,
): Promise<readonly ChainLink[]> {
  const { rows } = await sql<ChainLink>`
    with recursive chain (id, previous_id, bytes, depth) as (
      select id, previous_id, bytes, 1 from stored_responses
      where id = ${id} and ${isVisibleTo(owner)} and expires_at > ${nowSeconds} and response_encrypted is not null
      union all
      select earlier.id, earlier.previous_id, earlier.bytes, chain.depth + 1
      from chain join stored_responses earlier on earlier.id = chain.previous_id
      where ${isVisibleTo(owner)} and earlier.expires_at > ${nowSeconds}
        and earlier.response_encrypted is not null and chain.depth < ${linksMax}
    )
    select id, previous_id, bytes from chain order by depth`.execute(db)
  return rows
}

export async function selectStoredResponses(
  db: Database,
  ids: readonly string[],
): Promise<readonly StoredResponseRow[]> {
  return await withResponseTables(db)
    .selectFrom('stored_responses')
    .selectAll()
    .where('id', 'in', ids)
    .execute()
}

/** Keeps responses longer, since they have just been used. */
export async function touchStoredResponses(
  db: Database,
  ids: readonly string[],
  times: Pick<StoredResponseRow, 'used_at' | 'expires_at'>,
): Promise<void> {
  await withResponseTables(db).updateTable('stored_responses').set(times).where('id', 'in', ids).execute()
}

/** Returns whether the user had the response. */
export async function deleteStoredResponse(db: Database, id: string, owner: StateOwner): Promise<boolean> {
  const { numDeletedRows } = await withResponseTables(db)
    .deleteFrom('stored_responses')
    .where('id', '=', id)
    .where(isVisibleTo(owner))
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

export async function deleteStoredResponsesOfUser(db: Database, userId: number): Promise<void> {
  await withResponseTables(db).deleteFrom('stored_responses').where('user_id', '=', userId).execute()
}

/** Keeps the most recently used responses and conversations of a user, up to a size. */
export async function trimStoredState(db: Database, userId: number, bytesMax: number): Promise<void> {
  await inTransaction(db, async tx => {
    for (const table of ['stored_responses', 'conversations'])
      await sql`
        delete from ${sql.table(table)} where user_id = ${userId} and id in (
          select id from (
            select id, sum(bytes) over (order by used_at desc, id desc) as bytes_up_to_here
            from (
              select id, used_at, bytes from stored_responses where user_id = ${userId}
              union all
              select id, used_at, bytes from conversations where user_id = ${userId}
            ) as sizes
          ) as sums where bytes_up_to_here > ${bytesMax}
        )`.execute(tx)
  })
}
