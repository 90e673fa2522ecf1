import { nextTurn, withStorageTimeout } from '#server/core/async.ts'
import { nowSeconds } from '#server/core/clock.ts'
import type { Database } from '#server/db/engine/database.ts'
import { insertTags, type RequestTagRow } from './queries.ts'
import type { Tags } from './read-tags.ts'

/** Writes tags before their requests go on: those that arrive in the same turn of the event loop share a statement. */
export class TagBook {
  private readonly db: Database
  private pending: RequestTagRow[] = []
  private writing: Promise<void> | undefined

  constructor(db: Database) {
    this.db = db
  }

  /** Resolves once they are durable; tags that the request has already stay. Throws GatewayError `storage_failed`. */
  async add(requestId: string, tags: Tags): Promise<void> {
    if (tags.size === 0) return
    const created_at = nowSeconds()
    for (const [key, value] of tags) this.pending.push({ request_id: requestId, key, value, created_at })
    this.writing ??= nextTurn().then(() => this.write())
    await withStorageTimeout(this.writing)
  }

  private write(): Promise<void> {
    const rows = this.pending
    this.pending = []
    this.writing = undefined
    return insertTags(this.db, rows)
  }
}
