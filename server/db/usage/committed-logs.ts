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

/** What runs on a server, and when that was started: after a failover ids and transactions have other rows. */
interface RunningTransactions {
  readonly server: string
  readonly oldest: number
  readonly next: number
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
  private server = ''

  constructor(engine: Engine) {
    this.engine = engine
  }

  async find(db: Database): Promise<number> {
    if (this.engine === 'sqlite') return findNewestId(db)
    const running = await findRunning(db)
    if (running.server !== this.server) {
      this.safe = 0
      this.pending = undefined
      this.server = running.server
    }
    if (this.pending && running.oldest >= this.pending.transaction) {
      this.safe = this.pending.id
      this.pending = undefined
    }
    if (!this.pending) {
      // In this order: transactions with smaller ids than the newest row run before the snapshot.
      const id = await findNewestId(db)
      const { server, next } = await findRunning(db)
      if (server === this.server) this.pending = { id, transaction: next }
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

async function findRunning(db: Database): Promise<RunningTransactions> {
  const { rows } = await sql<Record<keyof RunningTransactions, string>>`select
    pg_postmaster_start_time()::text as server, pg_snapshot_xmin(pg_current_snapshot())::text as oldest,
    pg_snapshot_xmax(pg_current_snapshot())::text as next`.execute(db)
  const [{ server, oldest, next } = { server: '', oldest: '0', next: '0' }] = rows
  return { server, oldest: Number(oldest), next: Number(next) }
}
