import { TRANSACTION_KINDS, type TransactionKind } from '#contract/enums.ts'
import type { ApiContext } from '#server/api/context.ts'
import { apiErrors } from '#server/core/api-error.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { type Language, readStoredText } from '#server/core/language.ts'
import { dayOffsets } from '#server/core/time-zone.ts'
import { DAY_SECONDS } from '#server/db/usage/usage-days.ts'
import {
  type BalanceTransaction,
  STATEMENT_ADJUSTMENTS_MAX,
  STATEMENT_SECONDS_MAX,
  type Statement,
  type StatementQuery,
} from '../contract.ts'
import {
  type AdjustmentRow,
  type ChargeDay,
  listAdjustments,
  listChargeDays,
  sumAdjustmentsBefore,
  sumCharges,
} from './queries.ts'

const DEFAULT_DAYS = 30

export const statementError = apiErrors('statement', {
  wrong_period: { zh: '结束时间必须晚于开始时间', en: 'the end of the period must be after its start' },
  period_too_long: { zh: '时间跨度不能超过 {days} 天', en: 'the period cannot exceed {days} days' },
  too_many_transactions: {
    zh: '该时间段内的变动超过 {max} 条，请缩短时间跨度',
    en: 'the period has more than {max} transactions; choose a shorter one',
  },
  month_ahead: { zh: '该月份尚未开始', en: 'this month has not begun' },
})

/**
 * Lists what changed a user's balance in a period. The balance includes what running requests have reserved, so that a
 * reservation is not a transaction. Throws the API errors of `statement`.
 */
export async function createStatement(
  user: { readonly id: number; readonly username: string },
  query: StatementQuery,
  { reader, language, settings }: Pick<ApiContext, 'reader' | 'language' | 'settings'>,
): Promise<Statement> {
  const period = toPeriod(query)
  const range = { userId: user.id, ...period }
  const adjustments = await listAdjustments(reader, { ...range, limit: STATEMENT_ADJUSTMENTS_MAX + 1 })
  if (adjustments.length > STATEMENT_ADJUSTMENTS_MAX)
    throw statementError('too_many_transactions', { max: STATEMENT_ADJUSTMENTS_MAX })
  const offsets = dayOffsets(query, period, settings.current().values.ReportingTimeZone)
  const days = await listChargeDays(reader, { ...range, offsets })
  const before = await sumCharges(reader, { userId: user.id, from: 0, until: period.from })
  const opening = (await sumAdjustmentsBefore(reader, user.id, period.from)) - before.amount
  const changes = [
    ...days.map(day => toCharge(day, period.until)),
    ...adjustments.map(row => toAdjustment(row, language)),
  ]
  const transactions = withBalances(changes, opening)
  const amounts = adjustments.map(({ amount }) => amount)
  return {
    user_id: user.id,
    username: user.username,
    start_timestamp: period.from,
    end_timestamp: period.until,
    opening,
    closing: transactions[0]?.balance ?? opening,
    credited: sum(amounts.filter(amount => amount > 0)),
    debited: sum(amounts.filter(amount => amount < 0).map(Math.abs)),
    charged: sum(days.map(({ amount }) => amount)),
    requests: sum(days.map(({ count }) => count)),
    transactions,
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** Throws the API errors of `statement`. */
export function toPeriod({ start_timestamp, end_timestamp }: StatementQuery): {
  from: number
  until: number
} {
  const until = end_timestamp || nowSeconds() + 1
  const from = start_timestamp || until - DEFAULT_DAYS * DAY_SECONDS
  if (until <= from) throw statementError('wrong_period')
  if (until - from > STATEMENT_SECONDS_MAX)
    throw statementError('period_too_long', { days: STATEMENT_SECONDS_MAX / DAY_SECONDS })
  return { from, until }
}

interface Change extends Omit<BalanceTransaction, 'balance'> {
  /** Unix seconds after which the change has happened: the charges of a day are complete when it ends. */
  readonly completedAt: number
}

const toAdjustment = (row: AdjustmentRow, language: Language): Change => ({
  id: `posting-${row.id}`,
  kind: toKind(row.kind),
  created_at: row.created_at,
  completedAt: row.created_at,
  amount: row.amount,
  requests: 0,
  detail: readStoredText(row.reason, language),
})

/** Kinds without a name of their own are adjustments. */
const toKind = (kind: string): TransactionKind =>
  TRANSACTION_KINDS.find(known => known === kind) ?? 'adjustment'

const toCharge = ({ day, end, amount, count }: ChargeDay, until: number): Change => ({
  id: `charges-${day}`,
  kind: 'charge',
  created_at: day,
  completedAt: Math.min(end, until),
  amount: -amount,
  requests: count,
  detail: '',
})

/** Sorts changes, of which those of each kind are newest first, and adds the balance after each. */
function withBalances(changes: readonly Change[], opening: number): BalanceTransaction[] {
  let balance = opening
  return changes
    .toReversed()
    .toSorted((one, other) => one.completedAt - other.completedAt)
    .map(({ completedAt: _, ...change }) => {
      balance += change.amount
      return { ...change, balance }
    })
    .reverse()
}
