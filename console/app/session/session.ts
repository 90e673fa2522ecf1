import { z } from 'zod'
import type { Role } from '#contract/enums.ts'
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

const RANKS: Readonly<Record<Role, number>> = { visitor: 0, user: 1, admin: 10, root: 100 }

const store = createStore<SessionUser | undefined>(SessionUser.safeParse(readStoredJson('user')).data)

export const currentUser = (): SessionUser | undefined => store.get()
export const useUser = (): SessionUser | undefined => useStore(store)

/** Keeps who signed in, under `user`. Only what the console needs is kept. */
export function rememberUser(user: SessionUser): void {
  const kept = SessionUser.parse(user)
  writeStoredJson('user', kept)
  store.set(kept)
}

export function forgetUser(): void {
  writeStored('user', undefined)
  store.set(undefined)
}

/** Whether this user may do what needs `role`. Nobody is a visitor. */
export const mayAct = (user: SessionUser | undefined, role: Role): boolean =>
  (user ? user.role : RANKS.visitor) >= RANKS[role]

/** Another tab signed in or out: follow it. */
export function followOtherTabs(): void {
  window.addEventListener('storage', event => {
    if (event.key === 'user') store.set(SessionUser.safeParse(readStoredJson('user')).data)
  })
}
