import type { RequestAddress } from './request-url.ts'

/** The key a client presents and, for administrators, the channel it asks for: `sk-KEY-CHANNELID`. */
export interface PresentedKey {
  readonly key: string
  readonly channelText: string | undefined
}

const PROXY_NAME = 'midjourney-proxy'
const REALTIME_PROTOCOL_PREFIX = 'openai-insecure-api-key.'

const SCHEME = 'Bearer'
const BEARER = /^Bearer(\s|$)/i
const PREFIX = 'sk-'

/** Google's newer address, or a method behind a model. */
const GEMINI_PATH = /^\/v1beta\/|^\/v1\/models\/.+:\w+$/

/** Looks where the SDKs of all dialects put their key. Undefined when there is none. */
export function readPresentedKey(request: Request, url: RequestAddress): PresentedKey | undefined {
  const text = keyText(request.headers, url)
  if (!text) return undefined
  const named = withoutScheme(text)
  const bare = named.startsWith(PREFIX) ? named.slice(PREFIX.length) : named
  if (!bare.includes('-')) return bare ? { key: bare, channelText: undefined } : undefined
  const [key = '', channelText] = bare.split('-')
  return key ? { key, channelText } : undefined
}

const withoutScheme = (text: string): string => (BEARER.test(text) ? text.slice(SCHEME.length) : text).trim()

function keyText(headers: Headers, url: RequestAddress): string | undefined {
  const { pathname } = url
  return (
    realtimeKey(headers.get('sec-websocket-protocol')) ??
    (speaksAnthropic(headers, pathname) ? nonEmpty(headers.get('x-api-key')) : undefined) ??
    (GEMINI_PATH.test(pathname) ? geminiKey(headers, url) : undefined) ??
    ownAuthorization(headers) ??
    nonEmpty(headers.get('mj-api-secret'))
  )
}

const speaksAnthropic = (headers: Headers, pathname: string): boolean =>
  pathname.includes('/v1/messages') || headers.has('anthropic-version')

/** Some drawing clients send the name of their proxy there, and the key in a header of its own. */
function ownAuthorization(headers: Headers): string | undefined {
  const text = nonEmpty(headers.get('authorization'))
  return text?.endsWith(PROXY_NAME) && withoutScheme(text) === PROXY_NAME ? undefined : text
}

const realtimeKey = (protocols: string | null): string | undefined =>
  protocols
    ?.split(',')
    .map(protocol => protocol.trim())
    .find(protocol => protocol.startsWith(REALTIME_PROTOCOL_PREFIX))
    ?.slice(REALTIME_PROTOCOL_PREFIX.length)

const geminiKey = (headers: Headers, url: RequestAddress): string | undefined =>
  nonEmpty(headers.get('x-goog-api-key')) ?? nonEmpty(url.searchParams.get('key'))

const nonEmpty = (text: string | null): string | undefined => (text ? text : undefined)
