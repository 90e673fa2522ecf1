import type { OptionValues } from '#contract/options/system-options.ts'
import type { PagePolicy } from './security-headers.ts'

const TURNSTILE = 'https://challenges.cloudflare.com'
const TELEGRAM = ['https://telegram.org', 'https://oauth.telegram.org']

/**
 * The policy of the console's pages as the options stand: configured chat, home and about pages may be framed, and
 * forms may go to the payment provider.
 */
export function pagePolicyOf(values: OptionValues, scriptHashes: readonly string[]): PagePolicy {
  const chats = [...values.Chats.flatMap(chat => Object.values(chat)), values.ChatLink, values.ChatLink2]
  const links = [...chats, values.HomePageContent, values.About]
  return {
    scriptHashes,
    frames: links.flatMap(originOf),
    forms: paymentOriginOf(values.PayAddress),
    widgets: [
      ...(values.TurnstileCheckEnabled ? [TURNSTILE] : []),
      ...(values.TelegramOAuthEnabled ? TELEGRAM : []),
    ],
  }
}

/** The origin of an https link; nothing for everything else. */
function originOf(link: string): string[] {
  const origin = /^https:\/\/[^/?#\s;,]+/.exec(link.trim())?.[0]
  return origin ? [origin] : []
}

/** Payment pages on https may be anywhere; an older provider on http only where the operator says. */
function paymentOriginOf(address: string): string[] {
  const origin = /^http:\/\/[^/?#\s;,]+/.exec(address.trim())?.[0]
  return origin ? [origin] : []
}
