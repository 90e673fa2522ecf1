import { handle, handleResult } from '#server/api/handle.ts'
import { ApiError } from '#server/core/api-error.ts'
import type { Language } from '#server/core/language.ts'
import type { Database } from '#server/db/engine/database.ts'
import { defineFeature } from '#server/feature.ts'
import * as endpoints from '../contract.ts'
import { handleCallback } from './callback.ts'
import { createOrder, quoteTopUp, requireMerchant } from './create.ts'
import { formatMoney, readTimeline } from './order.ts'
import { countTopUps, listTopUps, type TopUpRow } from './queries.ts'
import { startOrderReconciliation } from './reconcile.ts'

/** Payment providers compare the text as it is. */
const PLAIN_TEXT = { headers: { 'content-type': 'text/plain; charset=utf-8' } }

/** To the address that was posted to, without a query. */
const BACK_TO_THE_PAGE = { status: 303, headers: { location: '?' } }

const routes = [
  handleResult(endpoints.quoteTopUp, ({ body, settings, caller, language }) =>
    respondPayment(language, async () => {
      const { values } = settings.current()
      requireMerchant(values)
      return { data: formatMoney(quoteTopUp(body.amount, caller.group, values).moneyCents) }
    }),
  ),

  handleResult(endpoints.payTopUp, ({ body, language, ...context }) =>
    respondPayment(language, async () => {
      const { url, fields } = await createOrder(body, context)
      return { data: fields, url }
    }),
  ),

  handleResult(endpoints.notifyTopUp, ({ query, ...context }) => respondToCallback(query, context)),
  handleResult(endpoints.notifyTopUpByPost, ({ query, body, ...context }) =>
    respondToCallback({ ...query, ...body }, context),
  ),
  handleResult(endpoints.returnFromPayment, async () => new Response(null, BACK_TO_THE_PAGE)),

  handle(endpoints.listTopUps, ({ reader, query }) => listTopUpPage(reader, undefined, query)),
  handle(endpoints.listSelfTopUps, ({ reader, query, caller }) => listTopUpPage(reader, caller.id, query)),
]

const respondToCallback = async (...call: Parameters<typeof handleCallback>) =>
  new Response(await handleCallback(...call), PLAIN_TEXT)

/** These endpoints report errors as `message: 'error'` with the text in `data`, as clients of this API expect. */
async function respondPayment(language: Language, work: () => Promise<object>): Promise<Response> {
  try {
    return Response.json({ message: 'success', ...(await work()) })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return Response.json({ message: 'error', data: error.in(language), code: error.code })
  }
}

async function listTopUpPage(
  reader: Database,
  userId: number | undefined,
  { p, page_size }: { readonly p: number; readonly page_size: number },
) {
  const [rows, total] = await Promise.all([
    listTopUps(reader, userId, { offset: (p - 1) * page_size, limit: page_size }),
    countTopUps(reader, userId),
  ])
  return { items: rows.map(toTopUp), total, page: p, page_size }
}

const toTopUp = (row: TopUpRow): endpoints.TopUp => ({
  id: row.id,
  user_id: row.user_id,
  trade_no: row.trade_no,
  quota: row.quota,
  money: formatMoney(row.money_cents),
  payment_method: row.payment_method,
  status: row.status,
  created_at: row.created_at,
  completed_at: row.completed_at,
  timeline: readTimeline(row.timeline),
})

export const feature = defineFeature({
  start: services => ({ routes, jobs: [() => startOrderReconciliation(services)] }),
})
