/** Local storage keys of the console. The specification names the first eleven. */
export type StoreKey =
  | 'user'
  | 'status'
  | 'theme-mode'
  | 'page-size'
  | 'aff'
  | 'channel_models'
  | 'chat_link'
  | 'chat_link2'
  | 'chats'
  | 'id-sort'
  | 'language'
  | 'i18nextLng'
  | 'sidebar'
  | 'masked'
  | 'shortcuts'
  | 'notice'
  | 'dismissed'
  | 'login-method'
  | 'sign-out-url'
  | 'key-hosts'
  | 'log-range'
  | 'time-format'
  | 'new-year'
  | 'read-concerns'
  | 'playground'
  | 'playground-chat'
  | `recent-${number}`
  | `table-${string}`
  | `open-${string}`

/** Undefined when the key is absent or the browser blocks storage. */
export function readStored(key: StoreKey): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

/** Stores one key; undefined removes it. False when the storage is full or blocked: the console works without it. */
export function writeStored(key: StoreKey, value: string | undefined): boolean {
  try {
    if (value === undefined) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
    return true
  } catch {
    return false
  }
}

/** Undefined when the key is absent or its JSON is damaged. */
export function readStoredJson(key: StoreKey): unknown {
  const stored = readStored(key)
  if (stored === undefined) return undefined
  try {
    return JSON.parse(stored)
  } catch {
    return undefined
  }
}

export const writeStoredJson = (key: StoreKey, value: unknown): boolean =>
  writeStored(key, JSON.stringify(value))
