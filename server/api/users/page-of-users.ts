import { countUsers, listUsers } from '../../db/user-lists.ts'
import { ROLE } from '../caller.ts'
import type { ApiContext } from '../context.ts'
import { toUser } from '../user-view.ts'

interface WantedPage {
  readonly p: number
  readonly page_size: number
  readonly keyword: string
  readonly group: string
}

/** A page of the users whom the caller may see: those of a lower rank, and the caller. */
export async function pageOfUsers(
  { p, page_size, keyword, group }: WantedPage,
  { db, caller }: Pick<ApiContext, 'db' | 'caller'>,
) {
  const belowRole = caller.role >= ROLE.root ? Number.MAX_SAFE_INTEGER : caller.role
  const filter = { belowRole, ownId: caller.id, keyword, group }
  const [rows, total] = await Promise.all([
    listUsers(db, filter, { offset: (p - 1) * page_size, limit: page_size }),
    countUsers(db, filter),
  ])
  return { items: rows.map(toUser), total, page: p, page_size }
}
