import { nowMs } from '../../core/clock.ts'
import { quota } from '../../core/money.ts'
import type { TaskRow } from '../../db/system/tasks.ts'
import type { Bill, FailedRequestLog, Hold, LogEntry } from '../../ledger/ledger.ts'
import type { Reservation } from '../billing/estimate-hold.ts'
import { loggedTokenName, toReceiptAttempt } from '../billing/receipt.ts'
import type { AttemptTrace } from '../routing/attempts.ts'
import { taskCharge } from './estimate-task-hold.ts'
import type { TaskRequest } from './parse-task-request.ts'
import { readBill, type StoredBill } from './stored-bill.ts'

const UPSTREAM_FAILED_STATUS = 502

interface Billed {
  readonly keyMark: string
  readonly order: TaskRequest
  readonly reserved: Reservation
  readonly attempts: readonly AttemptTrace[]
}

/** As JSON text. */
export function writeBill({ keyMark, order, reserved, attempts }: Billed): string {
  const { hold, price } = reserved
  const charge = taskCharge(reserved)
  const bill: StoredBill = {
    keyMark,
    tokenId: hold.tokenId,
    isTokenLimited: hold.isTokenLimited,
    amount: charge.amount,
    entry: taskEntry(order, attempts.at(-1)?.channelId ?? 0),
    priced: { price: price.figures, lines: charge.lines, exact: charge.exact, hold: hold.amount },
    attempts: attempts.map(toReceiptAttempt),
  }
  return JSON.stringify(bill)
}

/** What a log row says about a task; it lasts as long as its submission. */
export const taskEntry = (order: TaskRequest, channelId: number): LogEntry => ({
  username: order.caller.username,
  tokenName: loggedTokenName(order.caller),
  modelName: order.model,
  channelId,
  group: order.caller.group,
  promptTokens: 0,
  completionTokens: 0,
  useTimeSeconds: 0,
  isStream: false,
  content: order.action,
})

/** The hold of a stored task. The row of the hold decides, so that what stands here only names it. */
export function holdOf(row: TaskRow): Hold {
  const { tokenId, isTokenLimited, priced } = readBill(row)
  return {
    requestId: row.request_id,
    userId: row.user_id,
    tokenId,
    isTokenLimited,
    amount: quota(priced.hold),
    belongsToTask: true,
  }
}

/** What a task that succeeded is charged. */
export function billOf(row: TaskRow): Bill {
  const { amount, entry, priced, attempts } = readBill(row)
  return {
    amount: quota(amount),
    entry: { ...entry, content: nameOf(row) },
    receipt: { ...receiptOf(row, attempts), ending: 'complete', provenance: 'upstream', ...priced },
  }
}

/** What the log says of a task that failed. */
export function failedRequestOf(row: TaskRow): FailedRequestLog {
  const { entry, priced, attempts } = readBill(row)
  const refund = priced.hold === 0 ? '' : `; ${priced.hold} units were given back`
  return {
    entry: { ...entry, content: `${nameOf(row)}: ${row.fail_reason}${refund}` },
    receipt: {
      ...receiptOf(row, attempts),
      ending: 'failed',
      provenance: 'free',
      status: UPSTREAM_FAILED_STATUS,
      code: 'task_failed',
    },
  }
}

/** A task that its vendor did not take has no number. */
const nameOf = ({ action, task_id }: TaskRow): string => `${action} ${task_id}`.trim()

const receiptOf = (row: TaskRow, attempts: StoredBill['attempts']) => ({
  use_ms: Math.max(nowMs() - row.created_at_ms, 0),
  model: { requested: readBill(row).entry.modelName },
  task: { platform: row.platform, id: row.task_id, action: row.action, mode: row.mode },
  attempts,
})
