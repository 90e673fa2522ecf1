import type { SelectQueryBuilder } from 'kysely'
import { MATCHING_ROWS_MAX } from '#contract/endpoint.ts'
import type { UserRow } from '#server/db/accounts/users.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { Tables } from '#server/db/engine/tables.ts'
import { contains } from '#server/db/engine/text.ts'

/** Selects users with a role below `belowRole`, and the user `ownId` with any role. */
export interface UserFilter {
  readonly belowRole: number
  readonly ownId: number
  /** An id, or part of a name or address; empty matches all. */
  readonly keyword: string
  /** Empty matches all. */
  readonly group: string
  /** Empty matches all. */
  readonly kind: UserRow['kind'] | ''
  /** 0 matches all. */
  readonly role: number
  /** Undefined matches all. */
  readonly status: number | 'deregistered' | undefined
}

/** The column to sort by, descending with a leading `-`; empty: newest first. */
export type UserOrder = '' | 'quota' | '-quota' | 'used_quota' | '-used_quota'

interface UserPage {
  readonly offset: number
  readonly limit: number
  readonly order: UserOrder
}

type UserQuery<Output> = SelectQueryBuilder<Tables, 'users', Output>

/** Lists users, deleted ones included. */
export const listUsers = (
  db: Database,
  filter: UserFilter,
  { offset, limit, order }: UserPage,
): Promise<UserRow[]> =>
  ordered(matching(db.selectFrom('users').selectAll(), filter), order)
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()

/** The ids of matching users that are not deregistered; with `ids`, those of them that match. */
export async function listMatchingUserIds(
  db: Database,
  filter: UserFilter,
  ids?: readonly number[],
): Promise<readonly number[]> {
  const rows = await matching(db.selectFrom('users').select('id'), filter)
    .where('deleted_at', 'is', null)
    .$if(ids !== undefined, found => found.where('id', 'in', ids ?? []))
    .orderBy('id')
    .limit(MATCHING_ROWS_MAX + 1)
    .execute()
  return rows.map(({ id }) => id)
}

function ordered<Output>(query: UserQuery<Output>, order: UserOrder): UserQuery<Output> {
  if (order === '') return query
  const direction = order.startsWith('-') ? 'desc' : 'asc'
  return query.orderBy(order.endsWith('used_quota') ? 'used_quota' : 'quota', direction)
}

export async function countUsers(db: Database, filter: UserFilter): Promise<number> {
  const counted = db.selectFrom('users').select(select => select.fn.countAll<number>().as('count'))
  const { count } = await matching(counted, filter).executeTakeFirstOrThrow()
  return Number(count)
}

function matching<Output>(query: UserQuery<Output>, filter: UserFilter): UserQuery<Output> {
  const { belowRole, ownId, keyword, group, kind, role, status } = filter
  return query
    .where(where => where.or([where('role', '<', belowRole), where('id', '=', ownId)]))
    .$if(group !== '', found => found.where('group', '=', group))
    .$if(kind !== '', found => found.where('kind', '=', kind === '' ? 'person' : kind))
    .$if(role !== 0, found => found.where('role', '=', role))
    .$call(found => withStatus(found, status))
    .$if(keyword !== '', found =>
      found.where(where =>
        where.or([
          contains(where.ref('username'), keyword),
          contains(where.ref('display_name'), keyword),
          contains(where.ref('email'), keyword),
          ...parseIds(keyword).map(id => where('id', '=', id)),
        ]),
      ),
    )
}

function withStatus<Output>(query: UserQuery<Output>, status: UserFilter['status']): UserQuery<Output> {
  if (status === undefined) return query
  if (status === 'deregistered') return query.where('deleted_at', 'is not', null)
  return query.where('deleted_at', 'is', null).where('status', '=', status)
}

function parseIds(keyword: string): number[] {
  const id = /^\d+$/.test(keyword) ? Number(keyword) : Number.NaN
  return Number.isSafeInteger(id) ? [id] : []
}
