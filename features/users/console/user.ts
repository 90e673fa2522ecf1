import type { User } from '#contract/entities/user.ts'
import { ROLE, USER_STATUS } from '#contract/enums.ts'
import { DEREGISTERED, type UserAction } from '../contract.ts'

export type RoleName = 'roleUser' | 'roleAdmin' | 'roleRoot' | 'roleOrganization' | 'roleUnknown'
export type UserStatus = 'enabled' | 'banned' | 'deregistered' | 'unknown'

const ROLE_NAMES: Readonly<Record<number, RoleName>> = {
  [ROLE.user]: 'roleUser',
  [ROLE.admin]: 'roleAdmin',
  [ROLE.root]: 'roleRoot',
}
const STATUS_NAMES: Readonly<Record<number, UserStatus>> = {
  [USER_STATUS.enabled]: 'enabled',
  [USER_STATUS.banned]: 'banned',
  [DEREGISTERED]: 'deregistered',
}

export const roleName = ({ role, kind }: Pick<User, 'role' | 'kind'>): RoleName =>
  kind === 'organization' ? 'roleOrganization' : (ROLE_NAMES[role] ?? 'roleUnknown')

export const isDeregistered = ({ DeletedAt }: Pick<User, 'DeletedAt'>): boolean => DeletedAt !== null

export const userStatus = (user: Pick<User, 'status' | 'DeletedAt'>): UserStatus =>
  isDeregistered(user) ? 'deregistered' : (STATUS_NAMES[user.status] ?? 'unknown')

interface Actor {
  readonly id: number
  readonly role: number
}

type ManagedUser = Pick<User, 'id' | 'kind' | 'role' | 'status' | 'DeletedAt'>

/** Users can edit users of a lower role; the super administrator can edit everybody. Deregistered users are read-only. */
export const canEdit = (actor: Actor, user: ManagedUser): boolean =>
  !isDeregistered(user) && (actor.role >= ROLE.root || user.role < actor.role)

/** The role and status changes that `actor` may make to `user`. The server enforces the same rules. */
export function allowedActions(actor: Actor, user: ManagedUser): readonly UserAction[] {
  if (!canEdit(actor, user) || user.id === actor.id || user.role >= ROLE.root) return []
  const actions: UserAction[] = []
  if (actor.role >= ROLE.root && user.kind === 'person')
    actions.push(user.role >= ROLE.admin ? 'demote' : 'promote')
  if (user.status === USER_STATUS.enabled) actions.push('disable')
  if (user.status === USER_STATUS.banned) actions.push('enable')
  return [...actions, 'delete']
}
