import { z } from 'zod'
import { readStoredJson, type StoreKey, writeStored, writeStoredJson } from '../preferences/local-store.ts'

/** Local storage keys whose value names its owner in `userId`. They stay until the owner signs out or somebody else signs in. */
const KEYS = ['playground', 'playground-chat'] as const satisfies readonly StoreKey[]
type UserKey = (typeof KEYS)[number]

const Owned = z.object({ userId: z.number() })
const StoredUser = z.object({ id: z.number() })

/** Undefined when the value is absent or belongs to another user. */
export function readUserData(key: UserKey, userId: number): unknown {
  const value = readStoredJson(key)
  return Owned.safeParse(value).data?.userId === userId ? value : undefined
}

/**
 * Stores a value for its owner; undefined removes it. False when the storage is full or blocked. After a sign-out in any
 * tab nothing is stored, although a page of the former user may still be ending its work.
 */
export function writeUserData(key: UserKey, userId: number, value: object | undefined): boolean {
  if (StoredUser.safeParse(readStoredJson('user')).data?.id !== userId) return true
  return value === undefined ? writeStored(key, undefined) : writeStoredJson(key, { ...value, userId })
}

/** Deletes the values of all users except one. */
export function dropUserData(exceptUserId?: number): void {
  for (const key of KEYS)
    if (exceptUserId === undefined || readUserData(key, exceptUserId) === undefined)
      writeStored(key, undefined)
}
