import type { Database } from '../db/engine/database.ts'

/** What an account at a provider holds. */
export interface BalanceRead {
  readonly channelId: number
  /** Unix seconds. */
  readonly readAt: number
  /** In the currency. */
  readonly balance: number
  /** ISO 4217. */
  readonly currency: string
}

/** What others do when something has happened, in its transaction: when one of them throws, nothing has happened. */
export interface Events {
  /** A user was deregistered. */
  userDeleted(tx: Database, userId: number): Promise<void>
  /** A password was replaced: whatever signed in with the old one ends. */
  credentialsChanged(tx: Database, userId: number): Promise<void>
  /** The provider of a channel said what its account holds. */
  balanceRead(tx: Database, reading: BalanceRead): Promise<void>
}

/** Tells all listeners, one after another: they share the connection of the transaction. */
export function combineListeners(listeners: readonly Partial<Events>[]): Events {
  return {
    async userDeleted(tx, userId) {
      for (const listener of listeners) await listener.userDeleted?.(tx, userId)
    },
    async credentialsChanged(tx, userId) {
      for (const listener of listeners) await listener.credentialsChanged?.(tx, userId)
    },
    async balanceRead(tx, reading) {
      for (const listener of listeners) await listener.balanceRead?.(tx, reading)
    },
  }
}
