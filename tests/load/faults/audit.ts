import { z } from 'zod'
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
  /** Rows whose cost is not what the channel pays for their tokens. */
  readonly miscosted: number
}

/** What a channel pays for a token, in billionths of a dollar. */
export interface TokenCosts {
  readonly input: number
  readonly output: number
}

interface Row {
  readonly id: number
  readonly request_id: string
  readonly quota: number
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly receipt: string | null
}

/** The cost as a receipt stores it; absent where none is known. */
const LogReceipt = z.looseObject({ cost_nanos: z.number().optional() })

const ROWS_READ_MAX = 5_000

/** Compares while the requests run and drops matched pairs, so that a million requests need little memory. */
export function openAudit(dataDir: string, costs: TokenCosts) {
  const ended = new Map<string, End>()
  const early = new Map<string, number>()
  let last = 0
  let costNanos = 0
  const audit = { rows: 0, surplus: 0, unpaid: 0, overcharged: 0, miscosted: 0 }

  const compare = (end: End, quota: number): void => {
    if (end === 'served' && quota === 0) audit.unpaid += 1
    if (end === 'rejected' && quota > 0) audit.overcharged += 1
  }
  const seeCost = ({ quota, prompt_tokens, completion_tokens, receipt }: Row): void => {
    const { cost_nanos: cost = 0 } = LogReceipt.parse(JSON.parse(receipt ?? '{}'))
    costNanos += cost
    const expected = prompt_tokens * costs.input + completion_tokens * costs.output
    if (cost !== (quota === 0 ? 0 : expected)) audit.miscosted += 1
  }
  const see = (row: Row): void => {
    const { id, request_id, quota } = row
    last = id
    audit.rows += 1
    seeCost(row)
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
            .leftJoin('receipts', 'receipts.log_id', 'logs.id')
            .select(['id', 'request_id', 'quota', 'prompt_tokens', 'completion_tokens', 'body as receipt'])
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
    /** What all rows have cost. */
    costNanos: () => costNanos,
    /** Result once all requests have ended. */
    read: (): Audit => ({ ...audit, lost: ended.size, surplus: audit.surplus + early.size }),
  }
}
