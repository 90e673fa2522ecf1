import { sql } from 'kysely'
import { IMPORT_KIND } from '#server/db/billing/postings.ts'
import type { Cell } from '#server/db/engine/bulk.ts'
import type { Database } from '#server/db/engine/database.ts'

/** Rows that came with an import and are compared with the source again. */

type FollowedTable = 'users' | 'tokens' | 'channels' | 'redemptions'

export type FollowedCells = Readonly<Record<string, Cell>>

/** The columns of rows by id. At most one batch of an import. */
export async function selectFollowed(
  db: Database,
  table: FollowedTable,
  columns: readonly string[],
  ids: readonly number[],
): Promise<ReadonlyMap<number, FollowedCells>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<FollowedCells>`select id, ${sql.join(columns.map(column => sql.ref(column)))}
    from ${sql.table(table)} where id in (${sql.join(ids)})`.execute(db)
  return new Map(rows.map(row => [Number(row.id), row]))
}

/** Sets columns of a row, and adds to others. Postings of what is added belong in the same transaction. */
export async function updateFollowed(
  tx: Database,
  table: FollowedTable,
  id: number,
  { set, add }: { readonly set: FollowedCells; readonly add: Readonly<Record<string, number>> },
): Promise<void> {
  const assignments = [
    ...Object.entries(set).map(([column, value]) => sql`${sql.ref(column)} = ${value}`),
    ...Object.entries(add).map(
      ([column, amount]) => sql`${sql.ref(column)} = ${sql.ref(column)} + ${amount}`,
    ),
  ]
  if (assignments.length === 0) return
  await sql`update ${sql.table(table)} set ${sql.join(assignments)} where id = ${id}`.execute(tx)
}

/** What imports posted so far, in units by account. */
export interface PostedSums {
  readonly id: number
  readonly wallet: number
  readonly invitation: number
  readonly token: number
  readonly usage: number
  readonly requests: number
}

const OWNERS = {
  users: sql`token_id is null and channel_id is null and user_id`,
  tokens: sql`token_id`,
  channels: sql`channel_id`,
}
const OWNER_COLUMNS = { users: 'user_id', tokens: 'token_id', channels: 'channel_id' } as const

const net = (account: string) => sql`cast(sum(case when to_account = ${sql.lit(account)} then amount
  when from_account = ${sql.lit(account)} then -amount else 0 end) as bigint) as ${sql.ref(account)}`

export async function sumImportPostings(
  db: Database,
  table: keyof typeof OWNERS,
  ids: readonly number[],
): Promise<ReadonlyMap<number, PostedSums>> {
  if (ids.length === 0) return new Map()
  const column = sql.ref(OWNER_COLUMNS[table])
  const { rows } = await sql<PostedSums>`select ${column} as id, ${net('wallet')}, ${net('invitation')},
      ${net('token')}, ${net('usage')}, ${net('requests')}
    from postings where kind = ${IMPORT_KIND} and ${OWNERS[table]} in (${sql.join(ids)}) group by ${column}`.execute(
    db,
  )
  return new Map(rows.map(row => [row.id, row]))
}

/** Those of the accounts into which another installation brought a row too: their sums cannot be told apart. */
export async function findSharedUsers(
  db: Database,
  source: string,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('import_rows')
    .select('id')
    .where('kind', '=', 'users')
    .where('source', '<>', source)
    .where('id', 'in', ids)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Rows of a kind that came, after a row there and in its order. */
export const listImportedAfter = (
  db: Database,
  { source, kind, after, limit }: { source: string; kind: string; after: string; limit: number },
): Promise<{ source_id: string; id: number }[]> =>
  db
    .selectFrom('import_rows')
    .select(['source_id', 'id'])
    .where('source', '=', source)
    .where('kind', '=', kind)
    .where('source_id', '>', after)
    .orderBy('source_id')
    .limit(limit)
    .execute()
