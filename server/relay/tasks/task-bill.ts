import { nowMs } from '../../core/clock.ts'
import { CHANNEL_KEY_PURPOSE } from '../../core/crypto.ts'
import { type BothLanguages, type Language, readStoredText } from '../../core/language.ts'
import { type AmountFormat, formatQuota, type Quota, quota } from '../../core/money.ts'
import { NO_USAGE } from '../../core/usage.ts'
import type { TaskRow } from '../../db/system/tasks.ts'
import type { Bill, FailedRequestLog, Hold, LogEntry } from '../../ledger/ledger.ts'
import { type Charge, calculateCharge, holdAmount } from '../../pricing/charge.ts'
import type { GroupPrice } from '../../pricing/price.ts'
import { type HoldEstimate, type Reservation, toPayer } from '../billing/hold.ts'
import { loggedTokenName, toErrorContent, toPayerReceipt, toReceiptAttempt } from '../billing/receipt.ts'
import type { SettledRequest } from '../hooks.ts'
import type { AttemptTrace } from '../routing/attempts.ts'
import type { RoutedChannel } from '../routing/channel-directory.ts'
import type { SettingsReader } from '../types.ts'
import type { TaskDeps, TaskRequest } from './platform.ts'

/** The price of an action without a price of its own, as drawing clients expect it. */
const DEFAULT_PRICE_DOLLARS = 0.1
const NO_TOKENS = { inputTokens: 0, outputTokens: 0 } as const

/** A task is held at its full price, which is known in advance. */
export function estimateTaskHold(
  request: TaskRequest,
  settings: SettingsReader<'prices' | 'UserConcurrencyLimit'>,
): HoldEstimate {
  const { prices, UserConcurrencyLimit } = settings.current()
  const { requestId, caller } = request
  const names = pricedNames(request)
  const price = prices.getForCall({ names, group: caller.group, dollars: DEFAULT_PRICE_DOLLARS })
  const amount = holdAmount(price, NO_TOKENS)
  const payer = toPayer(caller, { UserConcurrencyLimit }, { model: request.model, tokens: 0 })
  const hold = { requestId, ...payer, amount }
  return { hold, price, heldPrice: price, outputTokens: 0, minimumOutputTokens: 0 }
}

/** The charge of a task that succeeds. */
export const taskCharge = ({ price }: Pick<Reservation, 'price'>): Charge => calculateCharge(price, NO_USAGE)

/** The names under which a task may have a price, the name with its speed first: `mj_turbo_imagine`. */
const pricedNames = ({ model, mode }: Pick<TaskRequest, 'model' | 'mode'>): readonly string[] => [
  model.replace('_', `_${mode}_`),
  model,
]

/** How a task is run and charged: stored with the task, so that any process can settle it. */
interface StoredBill {
  /** Identifies the key of the channel that submitted the task. */
  readonly keyMark: string
  readonly tokenId: number | null
  readonly isTokenLimited: boolean
  readonly amount: Quota
  readonly paidBy?: Hold['paidBy']
  readonly entry: LogEntry
  readonly priced: {
    readonly price: GroupPrice['figures']
    readonly lines: Charge['lines']
    readonly exact: string
    readonly hold: number
    /** The provider's charge in billionths of a dollar; absent where it is unknown. */
    readonly cost_nanos?: number | undefined
  }
  readonly attempts: readonly ReturnType<typeof toReceiptAttempt>[]
}

/** The cast is safe, since only `toStoredBill` writes the column. */
const readStoredBill = (row: Pick<TaskRow, 'bill'>): StoredBill => JSON.parse(row.bill) as StoredBill

interface BilledTask {
  readonly keyMark: string
  readonly request: TaskRequest
  readonly reservation: Reservation
  readonly channel: Pick<RoutedChannel, 'purchase'>
  readonly attempts: readonly AttemptTrace[]
}

/** Returns JSON text. Price and cost are those of the submission. */
export function toStoredBill({ keyMark, request, reservation, channel, attempts }: BilledTask): string {
  const { hold, price } = reservation
  const charge = taskCharge(reservation)
  const bill: StoredBill = {
    keyMark,
    tokenId: hold.tokenId,
    isTokenLimited: hold.isTokenLimited,
    amount: charge.amount,
    ...(hold.paidBy && { paidBy: hold.paidBy }),
    entry: taskLogEntry(request, attempts.at(-1)?.channelId ?? 0),
    priced: {
      price: price.figures,
      lines: charge.lines,
      exact: charge.exact,
      hold: hold.amount,
      cost_nanos: channel.purchase?.callCost(pricedNames(request)),
    },
    attempts: attempts.map(toReceiptAttempt),
  }
  return JSON.stringify(bill)
}

/** The log row of a task, as far as it is known at submission. */
export const taskLogEntry = (request: TaskRequest, channelId: number): LogEntry => ({
  username: request.caller.username,
  tokenName: loggedTokenName(request.caller),
  modelName: request.model,
  channelId,
  group: request.caller.group,
  promptTokens: 0,
  completionTokens: 0,
  useTimeSeconds: 0,
  isStream: false,
  content: request.action,
})

/** Names the hold of a stored task. The ledger reads the amount from the row of the hold. */
export function taskHold(row: TaskRow): Hold {
  const { tokenId, isTokenLimited, paidBy, priced } = readStoredBill(row)
  return {
    requestId: row.request_id,
    userId: row.user_id,
    tokenId,
    isTokenLimited,
    amount: quota(priced.hold),
    belongsToTask: true,
    ...(paidBy && { paidBy }),
  }
}

/** The bill of a task that succeeded. */
export function taskBill(row: TaskRow): Bill {
  const { amount, entry, priced, attempts, paidBy } = readStoredBill(row)
  return {
    amount: quota(amount),
    entry: { ...entry, content: taskLabel(row) },
    receipt: {
      ...taskReceipt(row, attempts),
      ending: 'complete',
      provenance: 'upstream',
      ...priced,
      paid_by: toPayerReceipt(paidBy),
    },
  }
}

/** The facts about a successful task for features. */
export function toSettledTask(row: TaskRow, channel: RoutedChannel): SettledRequest {
  const { amount, entry, priced } = readStoredBill(row)
  return {
    requestId: row.request_id,
    model: entry.modelName,
    channel,
    charge: amount,
    costNanos: priced.cost_nanos,
    response: undefined,
  }
}

const STATUS_UPSTREAM_FAILED = 502

/** The log row and receipt of a task that failed. */
export function failedTaskLog(row: TaskRow, format: AmountFormat): FailedRequestLog {
  const { entry, priced, attempts } = readStoredBill(row)
  return {
    entry: { ...entry, content: toErrorContent(failureText(row, formatQuota(priced.hold, format))) },
    receipt: {
      ...taskReceipt(row, attempts),
      ending: 'failed',
      provenance: 'free',
      status: STATUS_UPSTREAM_FAILED,
      code: 'task_failed',
    },
  }
}

/** `released`: the amount of the hold, which was given back. */
function failureText(row: TaskRow, released: BothLanguages): BothLanguages {
  const text = (language: Language, refund: string): string =>
    `${taskLabel(row)}: ${readStoredText(row.fail_reason, language)}${readStoredBill(row).priced.hold === 0 ? '' : refund}`
  return {
    zh: text('zh', `；已退还 ${released.zh}`),
    en: text('en', `; ${released.en} was given back`),
  }
}

/** A task that its provider did not accept has no id. */
const taskLabel = ({ action, task_id }: TaskRow): string => `${action} ${task_id}`.trim()

const taskReceipt = (row: TaskRow, attempts: StoredBill['attempts']) => ({
  use_ms: Math.max(nowMs() - row.created_at_ms, 0),
  model: { requested: readStoredBill(row).entry.modelName },
  task: { platform: row.platform, id: row.task_id, action: row.action, mode: row.mode },
  attempts,
})

/** Identifies a channel key without revealing it. */
export const hashChannelKey = (key: string, { secrets }: Pick<TaskDeps, 'secrets'>): string =>
  secrets.hash(CHANNEL_KEY_PURPOSE, key)

/** The hash of the key that submitted a task. */
export const submittingKeyHash = (row: Pick<TaskRow, 'bill'>): string => readStoredBill(row).keyMark

/** The channel with the key that submitted the task: only that account of the provider knows the task. */
export function withSubmittingKey(
  row: TaskRow,
  channel: RoutedChannel,
  deps: Pick<TaskDeps, 'secrets'>,
): RoutedChannel {
  if (channel.views.length === 1) return channel
  const keyHash = submittingKeyHash(row)
  const view = channel.views.find(({ key }) => hashChannelKey(key, deps) === keyHash)
  return view ? { ...channel, view } : channel
}
