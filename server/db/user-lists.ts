import type { SelectQueryBuilder } from 'kysely'
import { contains } from './contains.ts'
import type { Database } from './database.ts'
import type { Tables } from './tables.ts'
import type { UserRow } from './users.ts'

/** Which users are meant: those of a role below `belowRole`, and the one of `ownId` whatever the role. */
export interface UserFilter {
  readonly belowRole: number
  readonly ownId: number
  /** An id, or part of a name or address; empty: any. */
  readonly keyword: string
  /** Empty: any. */
  readonly group: string
}

interface Page {
  readonly offset: number
  readonly limit: number
}

type Users<Output> = SelectQueryBuilder<Tables, 'users', Output>

/** Newest first, deleted users included. */
export const listUsers = (db: Database, filter: UserFilter, { offset, limit }: Page): Promise<UserRow[]> =>
  matching(db.selectFrom('users').selectAll(), filter)
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()

export async function countUsers(db: Database, filter: UserFilter): Promise<number> {
  const counted = db.selectFrom('users').select(select => select.fn.countAll<number>().as('count'))
  const { count } = await matching(counted, filter).executeTakeFirstOrThrow()
  return Number(count)
}

function matching<Output>(query: Users<Output>, filter: UserFilter): Users<Output> {
  const { belowRole, ownId, keyword, group } = filter
  return query
    .where(where => where.or([where('role', '<', belowRole), where('id', '=', ownId)]))
    .$if(group !== '', found => found.where('group', '=', group))
    .$if(keyword !== '', found =>
      found.where(where =>
        where.or([
          contains(where.ref('username'), keyword),
          contains(where.ref('display_name'), keyword),
          contains(where.ref('email'), keyword),
          ...idNamedBy(keyword).map(id => where('id', '=', id)),
        ]),
      ),
    )
}

function idNamedBy(keyword: string): number[] {
  const id = /^\d+$/.test(keyword) ? Number(keyword) : Number.NaN
  return Number.isSafeInteger(id) ? [id] : []
}
