import { sql } from 'kysely'
import { sleepMs } from '../../core/clock.ts'
import type { Database } from '../engine/database.ts'
import type { Engine } from '../migrations/migration.ts'

interface Look {
  /** The newest row. */
  readonly id: number
  /** Every transaction that ran at that time has a smaller number. */
  readonly transaction: number
}

/**
 * Finds the id up to which all log rows are committed. On SQLite that is the newest row: it has one writer. On PostgreSQL
 * a smaller id may be committed after a larger one, so the newest row of an earlier look counts once every transaction that
 * ran at that time has ended.
 */
export class CommittedLogs {
  private readonly engine: Engine
  private safe = 0
  private pending: Look | undefined

  constructor(engine: Engine) {
    this.engine = engine
  }

  async find(db: Database): Promise<number> {
    if (this.engine === 'sqlite') return findNewestId(db)
    if (this.pending && (await findOldestTransaction(db)) >= this.pending.transaction) {
      this.safe = this.pending.id
      this.pending = undefined
    }
    if (!this.pending) {
      // In this order: transactions with smaller ids than the newest row run before the snapshot.
      const id = await findNewestId(db)
      this.pending = { id, transaction: await findNextTransaction(db) }
    }
    return this.safe
  }

  /** Waits until the newest row of now counts, at most for some seconds. */
  async findAll(db: Database): Promise<number> {
    const newest = await findNewestId(db)
    let found = await this.find(db)
    for (let tries = 0; found < newest && tries < TRIES_MAX; tries += 1) {
      if (tries > 0) await sleepMs(PAUSE_MS)
      found = await this.find(db)
    }
    return found
  }
}

const TRIES_MAX = 50
const PAUSE_MS = 100

async function findNewestId(db: Database): Promise<number> {
  const row = await db.selectFrom('logs').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst()
  return row?.id ?? 0
}

const findOldestTransaction = (db: Database) => findBound(db, sql`pg_snapshot_xmin(pg_current_snapshot())`)
const findNextTransaction = (db: Database) => findBound(db, sql`pg_snapshot_xmax(pg_current_snapshot())`)

async function findBound(db: Database, bound: ReturnType<typeof sql>): Promise<number> {
  const { rows } = await sql<{ bound: string }>`select cast(${bound} as text) as bound`.execute(db)
  return Number(rows[0]?.bound ?? 0)
}
