const OBJECTS_MAX = 10_000

/** Objects that a provider keeps, each for one account. */
export interface AccountStore<Kept> {
  put(account: string, id: string, kept: Kept): void
  /** Undefined for another account's object, as for one that does not exist. */
  find(account: string, id: string): Kept | undefined
  delete(account: string, id: string): boolean
}

/** Beyond a limit the oldest object is deleted. */
export function createAccountStore<Kept>(): AccountStore<Kept> {
  const objects = new Map<string, Kept>()
  const toKey = (account: string, id: string): string => JSON.stringify([account, id])
  return {
    put(account, id, kept) {
      objects.set(toKey(account, id), kept)
      const [oldest] = objects.keys()
      if (objects.size > OBJECTS_MAX && oldest !== undefined) objects.delete(oldest)
    },
    find: (account, id) => objects.get(toKey(account, id)),
    delete: (account, id) => objects.delete(toKey(account, id)),
  }
}
