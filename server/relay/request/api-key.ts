/** An API key in the form `sk-KEY` or, for administrators who choose a channel, `sk-KEY-CHANNELID`. */
export interface PresentedKey {
  readonly key: string
  readonly channelText: string | undefined
}

const PROXY_NAME = 'midjourney-proxy'
const REALTIME_PROTOCOL_PREFIX = 'openai-insecure-api-key.'
const SCHEME = 'Bearer'
const BEARER = /^Bearer(\s|$)/i
const PREFIX = 'sk-'

/** Google's current paths, and its older ones with a method after the model. */
const GEMINI_PATH = /^\/v1beta\/|^\/v1\/models\/.+:\w+$/

/** Reads the API key from wherever the SDKs of the supported dialects send it. Undefined when there is none. */
export function readPresentedKey(headers: Headers, url: URL): PresentedKey | undefined {
  const text = findKeyText(headers, url)
  if (!text) return undefined
  const named = withoutScheme(text)
  const bare = named.startsWith(PREFIX) ? named.slice(PREFIX.length) : named
  if (!bare.includes('-')) return bare ? { key: bare, channelText: undefined } : undefined
  const [key = '', channelText] = bare.split('-')
  return key ? { key, channelText } : undefined
}

const withoutScheme = (text: string): string => (BEARER.test(text) ? text.slice(SCHEME.length) : text).trim()

function findKeyText(headers: Headers, url: URL): string | undefined {
  const { pathname } = url
  return (
    readRealtimeKey(headers.get('sec-websocket-protocol')) ??
    (isAnthropicClient(headers, pathname) ? nonEmpty(headers.get('x-api-key')) : undefined) ??
    (GEMINI_PATH.test(pathname) ? readGeminiKey(headers, url) : undefined) ??
    readAuthorization(headers) ??
    nonEmpty(headers.get('mj-api-secret'))
  )
}

const isAnthropicClient = (headers: Headers, pathname: string): boolean =>
  pathname.includes('/v1/messages') || headers.has('anthropic-version')

/** Some drawing clients put the name of their proxy here and the key into `mj-api-secret`. */
function readAuthorization(headers: Headers): string | undefined {
  const text = nonEmpty(headers.get('authorization'))
  return text?.endsWith(PROXY_NAME) && withoutScheme(text) === PROXY_NAME ? undefined : text
}

const readRealtimeKey = (protocols: string | null): string | undefined =>
  protocols
    ?.split(',')
    .map(protocol => protocol.trim())
    .find(protocol => protocol.startsWith(REALTIME_PROTOCOL_PREFIX))
    ?.slice(REALTIME_PROTOCOL_PREFIX.length)

const readGeminiKey = (headers: Headers, url: URL): string | undefined =>
  nonEmpty(headers.get('x-goog-api-key')) ?? nonEmpty(url.searchParams.get('key'))

const nonEmpty = (text: string | null): string | undefined => (text ? text : undefined)
