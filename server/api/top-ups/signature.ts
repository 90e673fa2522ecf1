import { createHash } from 'node:crypto'
import { constantTimeEqual } from '../../core/crypto.ts'

type Fields = Readonly<Record<string, string>>

const UNSIGNED = new Set(['sign', 'sign_type'])

/**
 * The signature of the easy-pay protocol: MD5, in lower-case hex, of the filled fields sorted by name and joined as
 * `name=value` with `&`, values as they are, followed by the merchant key.
 */
export function signatureOf(fields: Fields, merchantKey: string): string {
  const signed = Object.entries(fields)
    .filter(([name, value]) => !UNSIGNED.has(name) && value !== '')
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
  return createHash('md5')
    .update(signed.join('&') + merchantKey)
    .digest('hex')
}

export const isSignedRight = (fields: Fields, merchantKey: string): boolean =>
  constantTimeEqual(fields.sign ?? '', signatureOf(fields, merchantKey))
