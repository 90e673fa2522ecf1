import { everyMs, nowSeconds } from '#server/core/clock.ts'
import type { Secrets } from '#server/core/crypto.ts'
import { errorMessage } from '#server/core/errors.ts'
import type { Logger } from '#server/core/logger.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import { moveEnd } from './chain.ts'
import { deleteRowsUntil, findLastBefore, listEnds } from './queries.ts'

const CHECK_INTERVAL_MS = 3_600_000
const SECONDS_PER_DAY = 86_400
/** Rows of one transaction. */
const BATCH_ROWS = 500

interface RetentionDeps {
  readonly db: Database
  readonly secrets: Secrets
  readonly log: Logger
  /** 0: for ever. */
  readonly days: () => number
}

export const startRetention = (deps: RetentionDeps): (() => Promise<void>) =>
  everyMs(CHECK_INTERVAL_MS, async () => {
    try {
      await deleteOldRows(deps)
    } catch (error) {
      deps.log.warn('old rows of the audit log could not be deleted', { reason: errorMessage(error) })
    }
  })

/** Deletes the oldest rows. The hash of the newest of them stays, so that the chain still verifies from there on. */
export async function deleteOldRows({ db, secrets, days }: Omit<RetentionDeps, 'log'>): Promise<void> {
  const kept = days()
  if (kept === 0) return
  const time = nowSeconds() - kept * SECONDS_PER_DAY
  while (await deleteBatch(db, time, secrets));
}

const deleteBatch = (db: Database, time: number, secrets: Secrets): Promise<boolean> =>
  inTransaction(db, async tx => {
    const first = (await listEnds(tx)).find(({ name }) => name === 'first')
    const row = await findLastBefore(tx, { afterId: Number(first?.audit_id ?? 0), most: BATCH_ROWS, time })
    if (!row) return false
    await moveEnd(tx, { name: 'first', audit_id: Number(row.id), hash: row.hash }, secrets)
    await deleteRowsUntil(tx, Number(row.id))
    return true
  })
