import type { Database } from '#server/db/engine/database.ts'
import { trimStoredState } from './queries/stored-responses.ts'

/** The sizes of this many users are remembered. */
const USERS_MAX = 10_000
/** A user's state is trimmed each time this part of the limit has been added. */
const TRIM_SHARE = 1 / 16

/**
 * The space of each user for responses and conversations, in bytes as they are stored. What was not used for the longest
 * time goes first.
 */
export class StoredSpace {
  private readonly db: Database
  private readonly bytesMax: () => number
  /** Bytes that were added since the last trim, by user. */
  private readonly added = new Map<number, number>()

  constructor(db: Database, bytesMax: () => number) {
    this.db = db
    this.bytesMax = bytesMax
  }

  /** Call this after bytes were stored. */
  async add(userId: number, bytes: number): Promise<void> {
    const bytesMax = this.bytesMax()
    const added = (this.added.get(userId) ?? Number.POSITIVE_INFINITY) + bytes
    const isDue = added > bytesMax * TRIM_SHARE
    // Deleting first moves the user to the end, so that the first one is the least recently seen.
    this.added.delete(userId)
    this.added.set(userId, isDue ? 0 : added)
    const [oldest] = this.added.keys()
    if (this.added.size > USERS_MAX && oldest !== undefined) this.added.delete(oldest)
    if (isDue) await trimStoredState(this.db, userId, bytesMax)
  }
}
