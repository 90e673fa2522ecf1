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
  | 'organization'
  | 'next'
  | 'playground'
  | 'playground-chat'
  | `recent-${number}`
  | `table-${string}`
  | `open-${string}`

/** Two tabs may act for two organisations, and sign in for two pages. */
const storageOf = (key: StoreKey): Storage =>
  key === 'organization' || key === 'next' ? sessionStorage : localStorage

/** Undefined when the key is absent or the browser blocks storage. */
export function readStored(key: StoreKey): string | undefined {
  try {
    return storageOf(key).getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

/** Stores one key; undefined removes it. False when the storage is full or blocked: the console works without it. */
export function writeStored(key: StoreKey, value: string | undefined): boolean {
  try {
    if (value === undefined) storageOf(key).removeItem(key)
    else storageOf(key).setItem(key, value)
    return true
  } catch {
    return false
  }
}

/** Undefined when the key is absent or its JSON is damaged. */
export function readStoredJson(key: StoreKey): unknown {
  try {
    return JSON.parse(readStored(key) ?? '')
  } catch {
    return undefined
  }
}

export const writeStoredJson = (key: StoreKey, value: unknown): boolean =>
  writeStored(key, JSON.stringify(value))
