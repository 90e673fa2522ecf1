import type { OptionValues } from '#contract/options/system-options.ts'
import { COMMON_HEADERS, IMMUTABLE, type PagePolicy, POLICY_HEADER } from '../api/page-headers.ts'

/** Policy of a page that consists of one file and makes no requests. */
export const standalonePagePolicy = (scripts: readonly string[], styles: readonly string[]): string =>
  [
    "default-src 'none'",
    ...(scripts.length > 0 ? [`script-src ${scripts.map(quote).join(' ')}`] : []),
    ...(styles.length > 0 ? [`style-src ${styles.map(quote).join(' ')}`] : []),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const quote = (hash: string): string => `'${hash}'`

/** Sets headers, replacing those of the same names. */
export function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}

/** Headers of responses that are not pages: nothing in them may run or be cached. A page keeps its own policy. */
export const withSecurityHeaders = (response: Response): Response =>
  withHeaders(response, response.headers.has(POLICY_HEADER) ? COMMON_HEADERS : DEFAULT_HEADERS)

/** Browsers then refuse to reach this host without TLS for a year. */
export const withStrictTransport = (response: Response): Response =>
  withHeaders(response, { 'strict-transport-security': 'max-age=31536000' })

const DEFAULT_HEADERS = {
  ...COMMON_HEADERS,
  'cache-control': 'no-store',
  [POLICY_HEADER]: "default-src 'none'; frame-ancestors 'none'",
}

const TURNSTILE = 'https://challenges.cloudflare.com'
const TELEGRAM = ['https://telegram.org', 'https://oauth.telegram.org']

/**
 * Derives the page policy from the options: configured chat, home and about pages may be framed, and forms may be
 * submitted to the payment provider.
 */
export function readPagePolicy(values: OptionValues, scriptHashes: readonly string[]): PagePolicy {
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

/** The origin of an https link; empty for anything else. */
function originOf(link: string): string[] {
  const origin = /^https:\/\/[^/?#\s;,]+/.exec(link.trim())?.[0]
  return origin ? [origin] : []
}

/** Forms may be submitted to any https origin, so only a payment provider on http must be listed. */
function paymentOriginOf(address: string): string[] {
  const origin = /^http:\/\/[^/?#\s;,]+/.exec(address.trim())?.[0]
  return origin ? [origin] : []
}

/** Where OpenAI's and Anthropic's clients look for the request id; a provider's own stays. */
const REQUEST_ID_HEADERS = ['x-request-id', 'request-id'] as const

/**
 * Adds what every response has: the request id, which also appears in the log, and no guessing of its type. Files that
 * never change are not logged and have no id.
 */
export function withCommonHeaders(response: Response, requestId: string): Response {
  const { headers } = response
  if (headers.get('cache-control') !== IMMUTABLE) headers.set('X-Oneapi-Request-Id', requestId)
  headers.set('X-Content-Type-Options', 'nosniff')
  return response
}

/**
 * As `withCommonHeaders`, with the names that clients of providers know. A page has thirty responses, which do not need
 * them.
 */
export function withRelayHeaders(response: Response, requestId: string): Response {
  const { headers } = response
  for (const name of REQUEST_ID_HEADERS) if (!headers.has(name)) headers.set(name, requestId)
  return withCommonHeaders(response, requestId)
}
