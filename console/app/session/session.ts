import { z } from 'zod'
import { ROLE, type Role } from '#contract/enums.ts'
import { createStore, useStore } from '../../ui/store.ts'
import { readStoredJson, writeStored, writeStoredJson } from '../preferences/local-store.ts'

const SessionUser = z.object({
  id: z.number(),
  username: z.string(),
  display_name: z.string().catch(''),
  role: z.number().catch(1),
  status: z.number().catch(1),
  group: z.string().catch('default'),
  must_change_password: z.boolean().catch(false),
})
export type SessionUser = z.infer<typeof SessionUser>

const store = createStore<SessionUser | undefined>(SessionUser.safeParse(readStoredJson('user')).data)

export const currentUser = (): SessionUser | undefined => store.get()
export const useUser = (): SessionUser | undefined => useStore(store)

/** Stores the signed-in user under `user`, reduced to the fields that the console needs. */
export function rememberUser(user: SessionUser): void {
  const kept = SessionUser.parse(user)
  writeStoredJson('user', kept)
  store.set(kept)
}

export function forgetUser(): void {
  writeStored('user', undefined)
  store.set(undefined)
}

/** Whether the user has at least this role. Undefined is a visitor. */
export const hasRole = (user: SessionUser | undefined, role: Role): boolean =>
  (user ? user.role : ROLE.visitor) >= ROLE[role]

/** Follows sign-in and sign-out in other tabs. */
export function followOtherTabs(): void {
  window.addEventListener('storage', event => {
    if (event.key === 'user') store.set(SessionUser.safeParse(readStoredJson('user')).data)
  })
}
