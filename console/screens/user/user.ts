import type { UserAction } from '#contract/accounts/user-management.ts'
import { DEREGISTERED } from '#contract/accounts/user-management.ts'
import type { User } from '#contract/accounts/users.ts'

export const ROLE = { user: 1, admin: 10, root: 100 } as const
export const STATUS = { enabled: 1, banned: 2 } as const

export type RoleName = 'roleUser' | 'roleAdmin' | 'roleRoot' | 'roleUnknown'
export type UserStatus = 'enabled' | 'banned' | 'deregistered' | 'unknown'

const ROLE_NAMES: Readonly<Record<number, RoleName>> = { 1: 'roleUser', 10: 'roleAdmin', 100: 'roleRoot' }
const STATUS_NAMES: Readonly<Record<number, UserStatus>> = {
  1: 'enabled',
  2: 'banned',
  [DEREGISTERED]: 'deregistered',
}

export const roleName = ({ role }: Pick<User, 'role'>): RoleName => ROLE_NAMES[role] ?? 'roleUnknown'

export const isDeregistered = ({ DeletedAt }: Pick<User, 'DeletedAt'>): boolean => DeletedAt !== null

export const userStatus = (user: Pick<User, 'status' | 'DeletedAt'>): UserStatus =>
  isDeregistered(user) ? 'deregistered' : (STATUS_NAMES[user.status] ?? 'unknown')

interface Actor {
  readonly id: number
  readonly role: number
}

type ManagedUser = Pick<User, 'id' | 'role' | 'status' | 'DeletedAt'>

/** Whether this person may change that user: those of a lower rank; the super administrator everybody. */
export const canEdit = (actor: Actor, user: ManagedUser): boolean =>
  !isDeregistered(user) && (actor.role >= ROLE.root || user.role < actor.role)

/** What this person may do with the standing of that user. The server decides again. */
export function allowedActions(actor: Actor, user: ManagedUser): readonly UserAction[] {
  if (!canEdit(actor, user) || user.id === actor.id || user.role >= ROLE.root) return []
  const actions: UserAction[] = []
  if (actor.role >= ROLE.root) actions.push(user.role >= ROLE.admin ? 'demote' : 'promote')
  if (user.status === STATUS.enabled) actions.push('disable')
  if (user.status === STATUS.banned) actions.push('enable')
  return [...actions, 'delete']
}
