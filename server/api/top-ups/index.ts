import {
  listSelfTopUps,
  listTopUps as listTopUpsCall,
  notifyTopUp,
  payTopUp,
  quoteTopUp,
  type TopUp,
} from '#contract/billing/top-ups.ts'
import { type Language, ApiError } from '../../core/api-error.ts'
import type { Database } from '../../db/database.ts'
import { countTopUps, listTopUps, type TopUpRow } from '../../db/top-ups.ts'
import { handle, handleReply } from '../handle.ts'
import { makeOrder } from './make-order.ts'
import { merchantOf } from './merchant.ts'
import { moneyText } from './money-text.ts'
import { quoteOf } from './quote.ts'
import { receiveNotice } from './receive-notice.ts'
import { readTimeline } from './timeline.ts'

export const routes = [
  handleReply(quoteTopUp, ({ body, settings, caller, language }) =>
    payAnswer(language, async () => {
      const { values } = settings.current()
      merchantOf(values)
      return { data: moneyText(quoteOf(body.amount, caller.group, values).moneyCents) }
    }),
  ),

  handleReply(payTopUp, ({ body, language, ...context }) =>
    payAnswer(language, async () => {
      const { url, fields } = await makeOrder(body, context)
      return { data: fields, url }
    }),
  ),

  handleReply(
    notifyTopUp,
    async ({ query, ...context }) => new Response(await receiveNotice(query, context)),
  ),

  handle(listTopUpsCall, ({ db, query }) => pageOfTopUps(db, undefined, query)),
  handle(listSelfTopUps, ({ db, query, caller }) => pageOfTopUps(db, caller.id, query)),
]

/** These calls say `error` and put the sentence where the data would stand. */
async function payAnswer(language: Language, work: () => Promise<object>): Promise<Response> {
  try {
    return Response.json({ message: 'success', ...(await work()) })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return Response.json({ message: 'error', data: error.in(language), code: error.code })
  }
}

async function pageOfTopUps(
  db: Database,
  userId: number | undefined,
  { p, page_size }: { readonly p: number; readonly page_size: number },
) {
  const [rows, total] = await Promise.all([
    listTopUps(db, userId, { offset: (p - 1) * page_size, limit: page_size }),
    countTopUps(db, userId),
  ])
  return { items: rows.map(toTopUp), total, page: p, page_size }
}

const toTopUp = (row: TopUpRow): TopUp => ({
  id: row.id,
  user_id: row.user_id,
  trade_no: row.trade_no,
  quota: row.quota,
  money: moneyText(row.money_cents),
  payment_method: row.payment_method,
  status: row.status,
  created_at: row.created_at,
  completed_at: row.completed_at,
  timeline: readTimeline(row.timeline),
})
