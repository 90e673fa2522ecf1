import { nowSeconds } from '#server/core/clock.ts'
import { constantTimeEqual, type Secrets } from '#server/core/crypto.ts'
import { DAY_SECONDS } from '#server/db/usage/usage-days.ts'
import type { BillLink } from '../contract.ts'
import { billNumber, spanOfMonth } from './bill-month.ts'
import { statementError } from './statement.ts'

export const BILL_PATH = '/bill/'
/** Not stored: signs the link to a bill. */
const BILL_LINK_PURPOSE = 'bill-link'

interface BillRequest {
  readonly userId: number
  /** `2026-11` */
  readonly month: string
  /** How long the link is valid. */
  readonly days: number
}

/** Throws the API error `statement.month_ahead`. */
export function createBillLink(
  { userId, month, days }: BillRequest,
  zone: string,
  secrets: Pick<Secrets, 'hash'>,
): BillLink {
  const now = nowSeconds()
  if (spanOfMonth(month, zone).from > now) throw statementError('month_ahead')
  const number = billNumber(month, userId)
  const expiresAt = now + days * DAY_SECONDS
  const query = new URLSearchParams({
    until: String(expiresAt),
    signature: signatureOf(number, String(expiresAt), secrets),
  })
  return { number, path: `${BILL_PATH}${number}?${query}`, expires_at: expiresAt }
}

const LINKED = /^(\d{6})-(\d{1,15})$/

export type ReadBillLink =
  | { readonly state: 'valid'; readonly userId: number; readonly month: string }
  | { readonly state: 'expired' | 'invalid' }

/** Reads a link, and whether it is valid now. The signature comes first: nothing is told of links that are not ours. */
export function readBillLink({ pathname, searchParams }: URL, secrets: Pick<Secrets, 'hash'>): ReadBillLink {
  const number = pathname.slice(pathname.lastIndexOf(BILL_PATH) + BILL_PATH.length)
  const until = searchParams.get('until') ?? ''
  const [, month, userId] = LINKED.exec(number) ?? []
  const isSigned = constantTimeEqual(searchParams.get('signature') ?? '', signatureOf(number, until, secrets))
  if (month === undefined || !isSigned) return { state: 'invalid' }
  if (Number(until) <= nowSeconds()) return { state: 'expired' }
  return { state: 'valid', userId: Number(userId), month }
}

const signatureOf = (number: string, until: string, secrets: Pick<Secrets, 'hash'>): string =>
  secrets.hash(BILL_LINK_PURPOSE, `${number} ${until}`)
