import type { Role } from '#contract/endpoint.ts'

/** Who calls the management API, as stored at this moment. */
export interface Caller {
  /** 0 for a visitor. */
  readonly id: number
  readonly username: string
  readonly role: number
  readonly group: string
}

export const VISITOR: Caller = { id: 0, username: '', role: 0, group: '' }

/** The numbers of roles on the wire. */
export const ROLE = { visitor: 0, user: 1, admin: 10, root: 100 } as const satisfies Record<Role, number>
export const USER_STATUS = { enabled: 1, banned: 2 } as const
