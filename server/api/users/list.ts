import { DEREGISTERED } from '#contract/accounts/user-management.ts'
import { ROLE } from '#contract/enums.ts'
import { countUsers, listUsers, type UserOrder } from '../../db/accounts/user-lists.ts'
import type { ApiContext } from '../context.ts'
import { toUser } from '../user-view.ts'

interface UserPageQuery {
  readonly p: number
  readonly page_size: number
  readonly keyword: string
  readonly group: string
  readonly role: number
  readonly status: number
  readonly sort: UserOrder
}

/** Lists the users that the caller may see: those of lower rank and the caller. Super administrators see all. */
export async function listUserPage(
  { p, page_size, sort, ...conditions }: UserPageQuery,
  { db, caller }: Pick<ApiContext, 'db' | 'caller'>,
) {
  const belowRole = caller.role >= ROLE.root ? Number.MAX_SAFE_INTEGER : caller.role
  const filter = { ...conditions, belowRole, ownId: caller.id, status: toStatus(conditions.status) }
  const [rows, total] = await Promise.all([
    listUsers(db, filter, { offset: (p - 1) * page_size, limit: page_size, order: sort }),
    countUsers(db, filter),
  ])
  return { items: rows.map(toUser), total, page: p, page_size }
}

const toStatus = (status: number) =>
  status === DEREGISTERED ? ('deregistered' as const) : status === 0 ? undefined : status
