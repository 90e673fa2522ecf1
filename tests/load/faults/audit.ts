import { inDatabase } from '../../harness/in-database.ts'

/** `broken`: the client left, or was told in the middle that the answer ends here. */
export type End = 'served' | 'rejected' | 'broken'

/** What clients saw against what the log says. All figures must be 0 but the first. */
export interface Audit {
  readonly rows: number
  /** Requests of which no row tells. */
  readonly lost: number
  /** Rows of no request, or more of them than one. */
  readonly surplus: number
  /** Served for nothing, although not free. */
  readonly unpaid: number
  /** Refused before any output, and charged. */
  readonly overcharged: number
}

interface Row {
  readonly id: number
  readonly request_id: string
  readonly quota: number
}

const ROWS_READ_MAX = 5_000

/** Compares while the requests run, so that a million of them need no memory: what has met its row is forgotten. */
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
    /** Reads the rows that are new. */
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
    /** When nothing is under way any more. */
    read: (): Audit => ({ ...audit, lost: ended.size, surplus: audit.surplus + early.size }),
  }
}
