import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call, MATCHING_TIMEOUT_MS } from '#console/app/api/call.ts'
import type { FoundRecord } from '#console/app/router/define-screen.ts'
import type { MatchingResult, QueryOf } from '#contract/endpoint.ts'
import { getUser, type User } from '#contract/entities/user.ts'
import { listGroups } from '#contract/models.ts'
import {
  createUser,
  manageUser,
  searchUsers,
  type UserAction,
  type UserChange,
  type UserDraft,
  type UsersChange,
  updateMatchingUsers,
  updateUser,
  updateUsersBatch,
} from '../contract.ts'
import type { UserSearch } from './search-params.ts'

const GROUPS_STALE_MS = 30 * 60_000

export type UserFilter = Pick<UserSearch, 'q' | 'group' | 'role' | 'status' | 'sort'>

interface UserListPage {
  readonly rows: readonly User[]
  readonly total: number
}

/** One page of users; `p` counts from 1. */
export async function fetchUsers(
  filter: UserFilter,
  p: number,
  size: number,
  signal?: AbortSignal,
): Promise<UserListPage> {
  const { q: keyword, group, role, status, sort } = filter
  const query = { keyword, group, ...kindOf(role), status: Number(status), sort, p, page_size: size }
  const { items: rows, total } = await call(searchUsers, { query, ...(signal ? { signal } : {}) })
  return { rows, total }
}

/** The list shows organisations, which have no role of their own, among the roles. */
function kindOf(role: UserFilter['role']): Pick<QueryOf<typeof searchUsers>, 'kind' | 'role'> {
  if (role === 'organization') return { kind: role, role: 0 }
  return { kind: role === '' ? '' : 'person', role: Number(role) }
}

/** One page of users; `page` counts from 1. */
export const usersQuery = (filter: UserFilter, page: number, size: number) =>
  queryOptions({
    queryKey: ['users', filter, page, size],
    queryFn: ({ signal }) => fetchUsers(filter, page, size, signal),
    placeholderData: keepPreviousData,
  })

export const userQuery = (id: number) =>
  queryOptions({
    queryKey: ['user', id],
    queryFn: ({ signal }) => call(getUser, { params: { id }, signal }),
    gcTime: 0,
  })

export const groupsQuery = queryOptions({
  queryKey: ['group-names'],
  queryFn: ({ signal }) => call(listGroups, { signal }),
  staleTime: GROUPS_STALE_MS,
})

/** Mutations. Each refreshes the list and the current user's balance; forms display their own errors. */
export function useUserMutations() {
  const client = useQueryClient()
  const onSettled = () =>
    Promise.all(['users', 'user', 'self'].map(key => client.invalidateQueries({ queryKey: [key] })))
  const create = useMutation({
    meta: { isQuiet: true },
    mutationFn: (draft: UserDraft) => call(createUser, { body: draft }),
    onSettled,
  })
  const update = useMutation({
    meta: { isQuiet: true },
    mutationFn: (change: UserChange) => call(updateUser, { body: change }),
    onSettled,
  })
  const manage = useMutation({
    meta: { isQuiet: true },
    mutationFn: (body: { readonly id: number; readonly action: UserAction }) => call(manageUser, { body }),
    onSettled,
  })
  return { create, update, manage }
}

/** Changes all users that match, unless they are more than `count`. */
export const changeMatching = (
  { q: keyword, group, role, status }: UserFilter,
  count: number,
  change: UsersChange,
): Promise<MatchingResult> =>
  call(updateMatchingUsers, {
    body: { filter: { keyword, group, ...kindOf(role), status: Number(status) }, count, change },
    timeoutMs: MATCHING_TIMEOUT_MS,
  })

/** Changes these users. When none changes, throws why the first did not. */
export async function changeUsers(ids: readonly number[], change: UsersChange): Promise<MatchingResult> {
  const rows = await call(updateUsersBatch, {
    body: { ids: [...ids], change },
    timeoutMs: MATCHING_TIMEOUT_MS,
  })
  const changed = rows.filter(({ success }) => success).length
  if (changed === 0) throw new Error(rows[0]?.message)
  return { matched: rows.length, changed }
}

const FOUND_MAX = 5

/** Users whose id, name or email address contains the query. */
export async function findUsers(keyword: string, signal: AbortSignal): Promise<readonly FoundRecord[]> {
  const query = { keyword, p: 1, page_size: FOUND_MAX }
  const { items } = await call(searchUsers, { query, signal })
  return items.map(({ id, username }) => ({ name: username, detail: `#${id}`, href: `/user/edit/${id}` }))
}
