/** Who calls: decided once, by `authenticate`. */
export interface Caller {
  readonly userId: number
  readonly username: string
  readonly role: number
  /** The group whose channels and ratio this request uses. */
  readonly group: string
  /** Undefined in the playground, which spends from the wallet alone. */
  readonly token: CallerToken | undefined
  /** A channel chosen by an administrator through the key. */
  readonly pinnedChannelId: number | undefined
}

export interface CallerToken {
  readonly id: number
  readonly name: string
  /** It has a limit of its own beside the wallet. */
  readonly isLimited: boolean
  /** The only models it may use; undefined for all. */
  readonly models: ReadonlySet<string> | undefined
  /** Requests of its that may be under way at once; 0: no limit. */
  readonly concurrency: number
  /** Requests that may begin in a minute; 0: no limit. */
  readonly requestsPerMinute: number
}

export const ADMIN_ROLE = 10

/** What a log row calls the token. */
export const loggedTokenName = (caller: Caller): string => caller.token?.name ?? `playground-${caller.group}`
