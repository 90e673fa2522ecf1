import type { PlainRoute } from '#server/api/plain-route.ts'
import { nowSeconds } from '#server/core/clock.ts'
import type { Services } from '#server/feature.ts'
import { options } from '../options.ts'

const PATH = '/.well-known/security.txt'
const DAY_SECONDS = 86_400
/** RFC 9116 recommends less than a year. */
const VALID_DAYS = 90

/** Whom to tell of a vulnerability of this installation. Source: RFC 9116. */
export const createSecurityText = ({ settings }: Pick<Services, 'settings'>): PlainRoute => ({
  method: 'GET',
  path: PATH,
  async respond() {
    const { SecurityContact: contact } = settings.of(options)
    if (contact === '') return undefined
    const { ServerAddress: address } = settings.current().values
    const lines = [
      `Contact: ${contact.startsWith('https:') ? contact : `mailto:${contact}`}`,
      `Expires: ${expiryDate()}`,
      'Preferred-Languages: en, zh',
      ...(address === '' ? [] : [`Canonical: ${address}${PATH}`]),
    ]
    return new Response(`${lines.join('\n')}\n`, { headers: { 'content-type': 'text/plain; charset=utf-8' } })
  },
})

/** The same throughout a day. */
function expiryDate(): string {
  const day = Math.floor(nowSeconds() / DAY_SECONDS) + VALID_DAYS
  return new Date(day * DAY_SECONDS * 1000).toISOString()
}
