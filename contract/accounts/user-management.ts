import { z } from 'zod'
import { endpoint, IdParams, PagesFromOne, pageOf } from '../endpoint.ts'
import { QueryNumber, QueryText, SignedQuota } from '../fields.ts'
import { DisplayName, Password, User, Username } from './users.ts'

const role = 'admin'
const GROUP_NAME_LENGTH_MAX = 64
const REASON_LENGTH_MAX = 200
const ROLE_NUMBER_MAX = 100

/** Stands for the deregistered in the status filter, where 1 and 2 mean only those who still are users. */
export const DEREGISTERED = -1

/** `role` and `status` 0 mean any. `sort` begins with `-` for most first. */
const UserListQuery = PagesFromOne.extend({
  role: QueryNumber,
  status: QueryNumber,
  sort: z.enum(['', 'quota', '-quota', 'used_quota', '-used_quota']).catch('').default(''),
})

export const listUsers = endpoint({
  method: 'GET',
  path: '/api/user/',
  role,
  summary: 'Users of a lower rank and oneself, deregistered ones too, newest first; root sees all',
  query: UserListQuery,
  reply: pageOf(User),
})

export const searchUsers = endpoint({
  method: 'GET',
  path: '/api/user/search',
  role,
  summary: 'As the list, by id or part of the name, display name or e-mail address, and by group',
  query: UserListQuery.extend({ keyword: QueryText, group: QueryText }),
  reply: pageOf(User),
})

const GroupName = z.string().trim().max(GROUP_NAME_LENGTH_MAX)

/** The new user has role 1; a role that is sent must be lower than the caller's. */
export const UserDraft = z.object({
  username: Username,
  password: Password,
  display_name: DisplayName.default(''),
  role: z.number().int().min(0).max(ROLE_NUMBER_MAX).optional(),
})
export type UserDraft = z.infer<typeof UserDraft>

export const createUser = endpoint({
  method: 'POST',
  path: '/api/user/',
  role,
  summary: 'Makes a user of role 1',
  body: UserDraft,
  reply: User,
})

/** What is absent or empty stays. */
export const UserChange = z.object({
  id: z.number().int().positive(),
  username: z.union([z.literal(''), Username]).optional(),
  display_name: DisplayName.optional(),
  password: z.union([z.literal(''), Password]).optional(),
  group: GroupName.optional(),
  role: z.number().int().min(0).max(ROLE_NUMBER_MAX).optional(),
  /** The free balance wanted, in units: never below zero, but what stands there may be sent back. */
  quota: SignedQuota.optional(),
  /** The balance that the caller saw: what was spent since then stays spent. */
  quota_seen: z.number().int().optional(),
  /** Why the balance changes; stands in the books. */
  reason: z.string().trim().max(REASON_LENGTH_MAX).optional(),
})
export type UserChange = z.infer<typeof UserChange>

export const updateUser = endpoint({
  method: 'PUT',
  path: '/api/user/',
  role,
  summary: 'Changes a user of a lower rank. A balance changes by an adjustment in the books',
  body: UserChange,
  reply: User,
})

export const UserAction = z.enum(['promote', 'demote', 'disable', 'enable', 'delete'])
export type UserAction = z.infer<typeof UserAction>

/** The standing of a user after it was managed. */
export const UserState = z.object({
  id: z.number(),
  role: z.number(),
  status: z.number(),
  DeletedAt: z.string().nullable(),
})

export const manageUser = endpoint({
  method: 'POST',
  path: '/api/user/manage',
  role,
  summary: 'Promotes, demotes, disables, enables or deregisters a user of a lower rank',
  body: z.object({ id: z.number().int().positive(), action: UserAction }),
  reply: UserState,
})

export const deleteUser = endpoint({
  method: 'DELETE',
  path: '/api/user/:id',
  role,
  summary: 'Deregisters a user of a lower rank for good',
  params: IdParams,
  reply: UserState,
})
