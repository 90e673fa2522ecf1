import { createHash, createHmac } from 'node:crypto'
import { nowSeconds } from '../core/clock.ts'
import { constantTimeEqual } from '../core/crypto.ts'
import { type Identity, refuseIdentity } from './identity.ts'

const party = 'Telegram'
const AGE_SECONDS_MAX = 5 * 60

/** What the sign-in widget gave: every field that Telegram signed, and its signature as `hash`. */
export type WidgetFields = Readonly<Record<string, string>>

/**
 * Checks what the widget says by https://core.telegram.org/widgets/login#checking-authorization. Throws a refusal for
 * a signature that is not the bot's, and for a sign-in older than a few minutes, which may be a repeated one.
 */
export function readTelegram(fields: WidgetFields, botToken: string): Identity {
  const { hash = '', ...signed } = fields
  const text = Object.entries(signed)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')
  const key = createHash('sha256').update(botToken).digest()
  const expected = createHmac('sha256', key).update(text).digest('hex')
  const { id = '', auth_date = '', first_name = '', last_name = '' } = signed
  if (id === '' || botToken === '' || !constantTimeEqual(hash, expected)) throw refuseIdentity('unsigned', { party })
  if (!(Number(auth_date) > nowSeconds() - AGE_SECONDS_MAX)) throw refuseIdentity('stale', { party })
  return { id, name: `${first_name} ${last_name}`.trim(), email: '' }
}
