import { closeHolds, deleteHolds, type HoldRow } from '../db/billing/holds.ts'
import type { Connection } from '../db/engine/database.ts'
import type { Engine } from '../db/migrations/migration.ts'

/**
 * The rows of the holds that this process opened, as it wrote them. Where no other process can change them, they need not
 * be read to be closed; the rows themselves still decide, by their number. A row that may have changed is forgotten here,
 * which only means that it is read.
 */
export class OpenHolds {
  private readonly engine: Engine
  private readonly rows = new Map<string, HoldRow>()

  constructor(engine: Engine) {
    this.engine = engine
  }

  /** To be called when they are durable. */
  keep(opened: readonly HoldRow[]): void {
    if (this.engine === 'sqlite') for (const row of opened) this.rows.set(row.request_id, row)
  }

  forget(requestId: string): void {
    this.rows.delete(requestId)
  }

  /**
   * Closes the holds of these requests and gives the rows that were open until now. Throws when rows are missing that
   * should be there: tried again, they are read.
   */
  async close(session: Connection, requestIds: readonly string[]): Promise<readonly HoldRow[]> {
    const known = this.take(requestIds)
    if (!known) return closeHolds(session, this.engine, requestIds)
    const closed = await deleteHolds(session, requestIds)
    if (closed !== known.length)
      throw new Error(`${known.length} holds were to be closed, ${closed} of them were open`)
    return known
  }

  /** Undefined unless all of them are known. */
  private take(requestIds: readonly string[]): readonly HoldRow[] | undefined {
    const known: HoldRow[] = []
    for (const requestId of requestIds) {
      const row = this.rows.get(requestId)
      if (row) known.push(row)
      this.rows.delete(requestId)
    }
    return known.length === requestIds.length ? known : undefined
  }
}
