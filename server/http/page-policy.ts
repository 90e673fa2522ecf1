import type { OptionValues } from '#contract/system-options.ts'
import type { PagePolicy } from './security-headers.ts'

const TURNSTILE = 'https://challenges.cloudflare.com'
const TELEGRAM = ['https://telegram.org', 'https://oauth.telegram.org']

/** The policy of the console's pages as the options stand: configured chat, home and about pages may be framed. */
export function pagePolicyOf(values: OptionValues, scriptHashes: readonly string[]): PagePolicy {
  const links = [...values.Chats.flatMap(chat => Object.values(chat)), values.HomePageContent, values.About]
  return {
    scriptHashes,
    frames: links.flatMap(originOf),
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
