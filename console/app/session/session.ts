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

type ChangeListener = (user: SessionUser | undefined) => void

const changeListeners = new Set<ChangeListener>()

/**
 * Runs `listener` whenever somebody else, or nobody, is signed in from now on, in this tab or another: before anything
 * renders for the new user, so that it can drop what belonged to the former one.
 */
export function onUserChange(listener: ChangeListener): void {
  changeListeners.add(listener)
}

let formerUserId: number | undefined

/** Whether nobody else was signed in before in this tab, so that the page of that time may be restored with its search. */
export const isReturningUser = ({ id }: SessionUser): boolean =>
  formerUserId === undefined || formerUserId === id

function changeUser(user: SessionUser | undefined): void {
  formerUserId = store.get()?.id ?? formerUserId
  if (user?.id !== store.get()?.id) for (const listener of changeListeners) listener(user)
  store.set(user)
}

/** Stores the signed-in user under `user`, reduced to the fields that the console needs. */
export function rememberUser(user: SessionUser): void {
  const kept = SessionUser.parse(user)
  writeStoredJson('user', kept)
  changeUser(kept)
}

export function forgetUser(): void {
  writeStored('user', undefined)
  changeUser(undefined)
}

let roleMost: number = ROLE.root

/** Limits what the user may do in this tab from now on, for whom acts for others, and drops what was loaded before. */
export function limitRole(most: Role): void {
  roleMost = ROLE[most]
  const user = store.get()
  for (const listener of changeListeners) listener(user)
  store.set(user && { ...user })
}

/** Whether the user has at least this role. Undefined is a visitor. */
export const hasRole = (user: SessionUser | undefined, role: Role): boolean =>
  (user ? Math.min(user.role, roleMost) : ROLE.visitor) >= ROLE[role]

type FollowListener = (user: SessionUser | undefined) => void

let onFollowed: FollowListener = () => undefined

/** Takes over who is signed in from the other tabs. True when that is no longer the user of this tab. */
export function followStoredUser(): boolean {
  const former = store.get()
  const stored = SessionUser.safeParse(readStoredJson('user')).data
  if (stored?.id === former?.id) return false
  changeUser(stored)
  if (former) onFollowed(stored)
  return true
}

/**
 * Follows sign-in and sign-out in other tabs. A tab that the browser had suspended misses the event, so it compares again
 * when it is shown.
 */
export function followOtherTabs(listener: FollowListener): void {
  onFollowed = listener
  window.addEventListener('storage', event => {
    if (event.key === 'user' || event.key === null) followStoredUser()
  })
  window.addEventListener('pageshow', followStoredUser)
  document.addEventListener('visibilitychange', followStoredUser)
}
