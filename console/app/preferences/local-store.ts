/** The keys of the console in local storage. The first eleven are those of the specification. */
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
  | 'key-hosts'
  | 'log-range'
  | 'time-format'
  | 'new-year'
  | 'playground'
  | 'playground-chat'
  | `recent-${number}`
  | `table-${string}`
  | `open-${string}`

/** Reads one key. Undefined when it is absent or the browser refuses storage. */
export function readStored(key: StoreKey): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

/** Keeps one key; undefined removes it. A full or refused storage is no error: the console works without. */
export function writeStored(key: StoreKey, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {
    return
  }
}

/** Reads JSON; undefined when it is absent or damaged. */
export function readStoredJson(key: StoreKey): unknown {
  const stored = readStored(key)
  if (stored === undefined) return undefined
  try {
    return JSON.parse(stored)
  } catch {
    return undefined
  }
}

export const writeStoredJson = (key: StoreKey, value: unknown): void =>
  writeStored(key, JSON.stringify(value))
