import { z } from 'zod'
import { RECORDS } from '#contract/audited-records.ts'
import { LOG_TYPE } from '#contract/enums.ts'
import type { ApiContext } from '#server/api/context.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { sameInBoth } from '#server/core/language.ts'
import { formatQuota } from '#server/core/money.ts'
import { lockUser } from '#server/db/accounts/users.ts'
import type { Database } from '#server/db/engine/database.ts'
import { insertEventLog } from '#server/db/logs/log-writes.ts'
import { adjustWallet } from '#server/ledger/adjust.ts'
import { TopUpEvent } from '../contract.ts'
import { type TopUpRow, updateTopUp } from './queries.ts'

export type CreditDeps = Pick<ApiContext, 'settings' | 'requestId' | 'secrets' | 'events'>

/** Credits a locked pending order, and leaves a row in the audit log. It happens exactly once, because the status changes in the same transaction. */
export async function creditOrder(
  tx: Database,
  order: TopUpRow,
  { settings, requestId, secrets, events }: CreditDeps,
): Promise<void> {
  const { user_id: userId, quota: amount, trade_no } = order
  const { ended } = await events.changeStarted({
    db: tx,
    secrets,
    options: settings.options,
    credential: 'payment',
    actorName: order.payment_method,
    action: 'top-up credited',
    record: RECORDS.user,
    rows: { id: [userId] },
    input: { user: userId, order: trade_no, quota: amount, paid: formatMoney(order.money_cents) },
    requestId,
  })
  await updateTopUp(tx, order.id, {
    status: 'success',
    completed_at: nowSeconds(),
    timeline: withEvents(order.timeline, [['credited', String(amount)]]),
  })
  const user = await lockUser(tx, userId)
  const reason = sameInBoth(trade_no)
  await adjustWallet(tx, { userId, amount, kind: 'top_up', actorId: 0, reason, requestId })
  const worth = formatQuota(amount, settings.current().values)
  await insertEventLog(tx, {
    type: LOG_TYPE.topUp,
    userId,
    username: user?.username ?? '',
    content: {
      zh: `在线充值成功，充值额度：${worth.zh}，支付金额：${formatMoney(order.money_cents)}`,
      en: `Topped up online: ${worth.en}, paid ${formatMoney(order.money_cents)}`,
    },
    quota: amount,
    requestId,
  })
  await ended({ code: '' })
}

/** Formats cents as text with two decimals. */
export const formatMoney = (cents: number): string =>
  `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`

/** Parses decimal text into cents; undefined for any other text. */
export function parseCents(text: string): number | undefined {
  const match = /^(\d{1,12})(?:\.(\d{1,2})0*)?$/.exec(text)
  return match ? Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0')) : undefined
}

/** Later events are dropped, except the credit, so that repeated callbacks cannot grow an order without bound. */
const EVENTS_MAX = 50
const DETAIL_LENGTH_MAX = 200

type EventName = 'created' | 'sent' | 'callback' | 'signature' | 'asked' | 'refused' | 'credited'

export const readTimeline = (text: string): TopUpEvent[] => z.array(TopUpEvent).parse(JSON.parse(text))

/** Appends events to the JSON text of a timeline, with the current time. */
export function withEvents(text: string, events: readonly (readonly [EventName, string])[]): string {
  const at = nowSeconds()
  const added = events.map(([event, detail]) => ({ at, event, detail: detail.slice(0, DETAIL_LENGTH_MAX) }))
  const all = [...readTimeline(text), ...added]
  return JSON.stringify(all.filter(({ event }, index) => index < EVENTS_MAX || event === 'credited'))
}
