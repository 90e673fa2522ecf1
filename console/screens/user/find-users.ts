import { searchUsers } from '#contract/user-calls.ts'
import { call } from '../../app/call.ts'
import type { FoundRecord } from '../../app/define-screen.ts'

const FOUND_MAX = 5

/** Users whose id, name or address holds what was typed. */
export async function findUsers(typed: string, signal: AbortSignal): Promise<readonly FoundRecord[]> {
  const query = { keyword: typed, p: 1, page_size: FOUND_MAX }
  const { items } = await call(searchUsers, { query, signal })
  return items.map(({ id, username }) => ({ name: `${username} #${id}`, href: `/user/edit/${id}` }))
}
