import { inDatabase } from '../../harness/in-database.ts'

/** `broken`: the client disconnected, or received an error within the response. */
export type End = 'served' | 'rejected' | 'broken'

/** Comparison of client outcomes with the log. All figures except the first must be 0. */
export interface Audit {
  readonly rows: number
  /** Requests without a log row. */
  readonly lost: number
  /** Rows without a request, and additional rows of one. */
  readonly surplus: number
  /** Served requests without a charge. */
  readonly unpaid: number
  /** Requests rejected before any output, but charged. */
  readonly overcharged: number
}

interface Row {
  readonly id: number
  readonly request_id: string
  readonly quota: number
}

const ROWS_READ_MAX = 5_000

/** Compares while the requests run and drops matched pairs, so that a million requests need little memory. */
export function openAudit(dataDir: string) {
  const ended = new Map<string, End>()
  const early = new Map<string, number>()
  let last = 0
  const audit = { rows: 0, surplus: 0, unpaid: 0, overcharged: 0 }

  const compare = (end: End, quota: number): void => {
    if (end === 'served' && quota === 0) audit.unpaid += 1
    if (end === 'rejected' && quota > 0) audit.overcharged += 1
  }
  const see = ({ id, request_id, quota }: Row): void => {
    last = id
    audit.rows += 1
    const end = ended.get(request_id)
    if (end) compare(end, quota)
    else if (early.has(request_id)) audit.surplus += 1
    else early.set(request_id, quota)
    ended.delete(request_id)
  }
  return {
    note(requestId: string, end: End): void {
      const quota = early.get(requestId)
      if (quota === undefined) ended.set(requestId, end)
      else compare(end, quota)
      early.delete(requestId)
    },
    /** Reads new rows. */
    async readRows(): Promise<void> {
      await inDatabase({ dataDir }, async db => {
        for (let count = ROWS_READ_MAX; count === ROWS_READ_MAX; ) {
          const rows = await db
            .selectFrom('logs')
            .select(['id', 'request_id', 'quota'])
            .where('id', '>', last)
            .where('type', 'in', [2, 5])
            .orderBy('id')
            .limit(ROWS_READ_MAX)
            .execute()
          for (const row of rows) see(row)
          count = rows.length
        }
      })
    },
    /** Result once all requests have ended. */
    read: (): Audit => ({ ...audit, lost: ended.size, surplus: audit.surplus + early.size }),
  }
}
