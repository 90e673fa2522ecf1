import { LOG_TYPE } from '#contract/enums.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { constantTimeEqual, type Secrets } from '#server/core/crypto.ts'
import { RECEIPT_LINK_DAYS, type ReceiptLink } from '../contract/receipt-links.ts'
import { logError } from './errors.ts'
import type { LogRow } from './queries/log-reads.ts'

const RECEIPT_LINK_PURPOSE = 'receipt-link'

const DAY_SECONDS = 24 * 3600
/** Hex digits: 128 bits. */
const SIGNATURE_LENGTH = 32
const LINK = /^(\d{1,15})-(\d{1,12})-([0-9a-f]+)$/

type Signer = Pick<Secrets, 'hash'>

/** Throws `log.unknown` for rows other than charged requests: they have no receipt. */
export function signReceiptLink({ id, type }: Pick<LogRow, 'id' | 'type'>, secrets: Signer): ReceiptLink {
  if (type !== LOG_TYPE.consumption) throw logError('unknown')
  const expiresAt = nowSeconds() + RECEIPT_LINK_DAYS * DAY_SECONDS
  return { link: `${id}-${expiresAt}-${signatureOf(id, expiresAt, secrets)}`, expires_at: expiresAt }
}

/** The id of the row. Throws `log.broken_link` for a wrong signature and an expired link. */
export function readReceiptLink(link: string, secrets: Signer): number {
  const [, id, expiresAt, signature = ''] = LINK.exec(link) ?? []
  const isSigned = constantTimeEqual(signature, signatureOf(Number(id), Number(expiresAt), secrets))
  if (!isSigned || Number(expiresAt) <= nowSeconds()) throw logError('broken_link')
  return Number(id)
}

const signatureOf = (id: number, expiresAt: number, secrets: Signer): string =>
  secrets.hash(RECEIPT_LINK_PURPOSE, `${id}-${expiresAt}`).slice(0, SIGNATURE_LENGTH)
