import { createHash } from 'node:crypto'
import type { OptionValues } from '#contract/options/system-options.ts'
import type { ApiContext } from '#server/api/context.ts'
import { constantTimeEqual } from '#server/core/crypto.ts'
import { inTransaction } from '#server/db/engine/database.ts'
import { type CreditDeps, creditOrder, formatMoney, parseCents, withEvents } from './order.ts'
import { lockTopUp, type TopUpRow, updateTopUp } from './queries.ts'

type PaymentCallback = Readonly<Record<string, string>>
type PaymentCallbackDeps = CreditDeps & Pick<ApiContext, 'db'>

const PAID = 'TRADE_SUCCESS'

/**
 * Handles a payment callback: verifies it, credits the order once however often the callback is repeated, and adds it
 * to the order's timeline. The response `fail` makes the provider retry.
 */
export function handleCallback(
  notice: PaymentCallback,
  context: PaymentCallbackDeps,
): Promise<'success' | 'fail'> {
  const { values } = context.settings.current()
  return inTransaction(context.db, async tx => {
    const order = await lockTopUp(tx, notice.out_trade_no ?? '')
    if (!order) return 'fail'
    const { fault, events } = checkCallback(notice, order, values)
    const updated = { ...order, timeline: withEvents(order.timeline, events) }
    const shouldCredit = !fault && notice.trade_status === PAID && order.status === 'pending'
    if (shouldCredit) await creditOrder(tx, updated, context)
    else await updateTopUp(tx, order.id, { timeline: updated.timeline })
    return fault ? 'fail' : 'success'
  })
}

interface CallbackCheck {
  readonly fault: boolean
  readonly events: Parameters<typeof withEvents>[1]
}

function checkCallback(
  notice: PaymentCallback,
  order: TopUpRow,
  { EpayId, EpayKey }: OptionValues,
): CallbackCheck {
  const callback = ['callback', notice.trade_status ?? ''] as const
  if (EpayId === '' || EpayKey === '' || !isSignatureValid(notice, EpayKey))
    return { fault: true, events: [callback, ['signature', 'wrong']] }
  const signed = [callback, ['signature', 'right']] as const
  const fault = findMismatch(notice, order, EpayId)
  return fault ? { fault: true, events: [...signed, ['refused', fault]] } : { fault: false, events: signed }
}

/** Why a correctly signed callback does not match the order; undefined when it does. */
function findMismatch(notice: PaymentCallback, order: TopUpRow, merchantId: string): string | undefined {
  if (notice.pid !== merchantId) return 'another merchant'
  if (notice.type !== order.payment_method) return 'another way of paying'
  if (parseCents(notice.money ?? '') !== order.money_cents)
    return `another amount: ${formatMoney(order.money_cents)} was asked for`
  return undefined
}

type SignedFields = Readonly<Record<string, string>>

const UNSIGNED = new Set(['sign', 'sign_type'])

/**
 * Signs fields as the easy-pay protocol defines: MD5 in lower-case hex of the non-empty fields, sorted by name and
 * joined as `name=value` with `&` without escaping, followed by the merchant key.
 */
export function signFields(fields: SignedFields, merchantKey: string): string {
  const signed = Object.entries(fields)
    .filter(([name, value]) => !UNSIGNED.has(name) && value !== '')
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
  return createHash('md5')
    .update(signed.join('&') + merchantKey)
    .digest('hex')
}

export const isSignatureValid = (fields: SignedFields, merchantKey: string): boolean =>
  constantTimeEqual(fields.sign ?? '', signFields(fields, merchantKey))
