import type { UserAction } from '#contract/user-calls.ts'
import { DEREGISTERED } from '#contract/user-calls.ts'
import type { User } from '#contract/users.ts'

export const ROLE = { user: 1, admin: 10, root: 100 } as const
export const STATUS = { enabled: 1, banned: 2 } as const

export type RoleName = 'roleUser' | 'roleAdmin' | 'roleRoot' | 'roleUnknown'
export type Standing = 'enabled' | 'banned' | 'deregistered' | 'unknown'

const ROLES: Readonly<Record<number, RoleName>> = { 1: 'roleUser', 10: 'roleAdmin', 100: 'roleRoot' }
const STANDINGS: Readonly<Record<number, Standing>> = {
  1: 'enabled',
  2: 'banned',
  [DEREGISTERED]: 'deregistered',
}

export const roleOf = ({ role }: Pick<User, 'role'>): RoleName => ROLES[role] ?? 'roleUnknown'

export const isGone = ({ DeletedAt }: Pick<User, 'DeletedAt'>): boolean => DeletedAt !== null

export const standingOf = (user: Pick<User, 'status' | 'DeletedAt'>): Standing =>
  isGone(user) ? 'deregistered' : (STANDINGS[user.status] ?? 'unknown')

interface Actor {
  readonly id: number
  readonly role: number
}

type Managed = Pick<User, 'id' | 'role' | 'status' | 'DeletedAt'>

/** Whether this person may change that user: those of a lower rank; the super administrator everybody. */
export const mayEdit = (actor: Actor, user: Managed): boolean =>
  !isGone(user) && (actor.role >= ROLE.root || user.role < actor.role)

/** What this person may do with the standing of that user. The server decides again. */
export function actionsFor(actor: Actor, user: Managed): readonly UserAction[] {
  if (!mayEdit(actor, user) || user.id === actor.id || user.role >= ROLE.root) return []
  const actions: UserAction[] = []
  if (actor.role >= ROLE.root) actions.push(user.role >= ROLE.admin ? 'demote' : 'promote')
  if (user.status === STATUS.enabled) actions.push('disable')
  if (user.status === STATUS.banned) actions.push('enable')
  return [...actions, 'delete']
}
