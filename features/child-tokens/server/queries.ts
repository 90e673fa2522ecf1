import type { Generated, Insertable, Selectable } from 'kysely'
import { TOKEN_STATUS } from '#contract/enums.ts'
import { NEVER_EXPIRES } from '#server/db/accounts/tokens.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { TokenTable } from '#server/db/engine/tables.ts'

interface ChildTokenTable {
  token_id: number
  parent_id: number
  /** Units of the parent's limit that the child was given; 0 where the parent has none. */
  taken: number
  /** Unix seconds at which the rest went back; 0: not yet. */
  ended_at: Generated<number>
}

/** A type, since an interface does not join the tables of the base. */
type ChildTables = { child_tokens: ChildTokenTable }

/** The database with the tables of this feature. */
const withChildTables = (db: Database) => db.withTables<ChildTables>()

export const insertChild = (tx: Database, child: Insertable<ChildTables['child_tokens']>) =>
  withChildTables(tx).insertInto('child_tokens').values(child).execute()

/** Undefined for a token that is no child. */
export async function findParentId(db: Database, tokenId: number): Promise<number | undefined> {
  const row = await withChildTables(db)
    .selectFrom('child_tokens')
    .select('parent_id')
    .where('token_id', '=', tokenId)
    .executeTakeFirst()
  return row?.parent_id
}

/** Reads a token and locks it until the transaction ends. */
export const lockToken = (tx: Database, id: number): Promise<Selectable<TokenTable> | undefined> =>
  tx
    .updateTable('tokens')
    .set(token => ({ status: token.ref('status') }))
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst()

/** The same of one that may be deleted. */
export const lockUnits = (
  tx: Database,
  id: number,
): Promise<{ remain_quota: number; user_id: number } | undefined> =>
  tx
    .updateTable('tokens')
    .set(token => ({ status: token.ref('status') }))
    .where('id', '=', id)
    .returning(['remain_quota', 'user_id'])
    .executeTakeFirst()

export type ChildRow = Selectable<TokenTable>

/** Those that are not deleted, newest first. */
export const listChildren = (db: Database, parentId: number, limit: number): Promise<ChildRow[]> =>
  withChildTables(db)
    .selectFrom('child_tokens')
    .innerJoin('tokens', 'tokens.id', 'child_tokens.token_id')
    .selectAll('tokens')
    .where('parent_id', '=', parentId)
    .where('tokens.deleted_at', 'is', null)
    .orderBy('token_id', 'desc')
    .limit(limit)
    .execute()

export type EndedChild = Pick<Selectable<ChildTables['child_tokens']>, 'token_id' | 'parent_id' | 'taken'>

/** Children whose parent, or who themselves, have ended since. */
export function listEnded(db: Database, now: number, limit: number): Promise<readonly EndedChild[]> {
  return withChildTables(db)
    .selectFrom('child_tokens')
    .innerJoin('tokens as child', 'child.id', 'child_tokens.token_id')
    .innerJoin('tokens as parent', 'parent.id', 'child_tokens.parent_id')
    .select(['token_id', 'parent_id', 'taken'])
    .where('ended_at', '=', 0)
    .where(row =>
      row.or([
        row('child.deleted_at', 'is not', null),
        row('parent.deleted_at', 'is not', null),
        row('parent.status', 'not in', [TOKEN_STATUS.enabled, TOKEN_STATUS.exhausted]),
        ...(['child', 'parent'] as const).map(name =>
          row.and([row(`${name}.expired_time`, '<>', NEVER_EXPIRES), row(`${name}.expired_time`, '<=', now)]),
        ),
      ]),
    )
    .orderBy('token_id')
    .limit(limit)
    .execute()
}

/** Nobody uses the token any more: what it has in progress ends. */
export const deleteChild = (tx: Database, tokenId: number, at: number) =>
  tx
    .updateTable('tokens')
    .set({ deleted_at: at })
    .where('id', '=', tokenId)
    .where('deleted_at', 'is', null)
    .execute()

/** Marks a child as ended, once nothing of it is in progress. False: another process was first, or it is too early. */
export async function markEnded(tx: Database, tokenId: number, at: number): Promise<boolean> {
  const { numUpdatedRows } = await withChildTables(tx)
    .updateTable('child_tokens')
    .set({ ended_at: at })
    .where('token_id', '=', tokenId)
    .where('ended_at', '=', 0)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('holds').select('request_id').where('token_id', '=', tokenId))),
    )
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}
