import { memoize } from '../../core/memoize.ts'
import { HttpError } from './http-response.ts'

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** `http:` or `https:`. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Ignored unless the method is POST. A list is sent piece by piece. */
  readonly body: string | Uint8Array | readonly Uint8Array[] | undefined
}

/** A request as it is written to a connection. */
export interface SerializedRequest {
  /** Includes the empty line that ends it. */
  readonly head: string
  readonly body: string | readonly Uint8Array[]
  /** Bytes of head and body together. */
  readonly size: number
}

/** Headers that the connection sets itself. Compression is not requested, so that streams arrive without delay. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'expect',
  'upgrade',
])
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/
const HEADER_VALUE = /^[\t\x20-\x7e]*$/

/**
 * Serializes an HTTP/1.1 request (RFC 9112). Throws HttpError EINVAL for an invalid header, since a line break in a value
 * would inject another header.
 */
export function serializeRequest(target: RequestTarget, request: HttpRequest): SerializedRequest {
  const { method, headers } = request
  const sent = (method === 'POST' && request.body) || ''
  const body = sent instanceof Uint8Array ? [sent] : sent
  const length = typeof body === 'string' ? Buffer.byteLength(body) : totalBytes(body)
  const lengthLine = method === 'POST' ? `content-length: ${length}\r\n` : ''
  const requestLine = `${method} ${target.path} HTTP/1.1\r\n`
  const head = `${requestLine}${headerLines(target, headers)}${lengthLine}\r\n`
  return { head, body, size: head.length + length }
}

const totalBytes = (pieces: readonly Uint8Array[]): number =>
  pieces.reduce((bytes, piece) => bytes + piece.byteLength, 0)

function headerLines({ host, authorization }: RequestTarget, headers: HttpRequest['headers']): string {
  let lines = 'accept-encoding: identity\r\n'
  let missing = ALL_DEFAULTS
  for (const name in headers) {
    const role = headerRole(name)
    if (role === 'connection') continue
    if (role !== 'other') missing &= ~DEFAULT_HEADERS[role]
    lines += headerLine(name, headers[name] ?? '')
  }
  if (missing & DEFAULT_HEADERS.host) lines += `host: ${host}\r\n`
  if (missing & DEFAULT_HEADERS['user-agent']) lines += 'user-agent: Tollgate\r\n'
  if (missing & DEFAULT_HEADERS.accept) lines += 'accept: */*\r\n'
  if (authorization && missing & DEFAULT_HEADERS.authorization) lines += `authorization: ${authorization}\r\n`
  return lines
}

/** One bit for each header that is added when the request lacks it. */
const DEFAULT_HEADERS = { host: 1, 'user-agent': 2, accept: 4, authorization: 8 } as const
const ALL_DEFAULTS = 15
const HEADER_NAMES_CACHED_MAX = 1_000

/** Cached, since programs use few header names. Throws HttpError EINVAL for an invalid name. */
const headerRole = memoize((name): keyof typeof DEFAULT_HEADERS | 'connection' | 'other' => {
  if (!HEADER_NAME.test(name)) throw invalidHeader()
  const lower = name.toLowerCase()
  if (CONNECTION_HEADERS.has(lower)) return 'connection'
  return isDefaultHeader(lower) ? lower : 'other'
}, HEADER_NAMES_CACHED_MAX)

const isDefaultHeader = (name: string): name is keyof typeof DEFAULT_HEADERS =>
  Object.hasOwn(DEFAULT_HEADERS, name)

function headerLine(name: string, value: string): string {
  if (!HEADER_VALUE.test(value)) throw invalidHeader()
  return `${name}: ${value}\r\n`
}

const invalidHeader = (): HttpError => new HttpError('EINVAL', 'a header contains invalid characters')

/** The parts of a URL that a request needs. */
export interface RequestTarget {
  /** Scheme, host and port. Connections are pooled by it. */
  readonly origin: string
  readonly isSecure: boolean
  /** A name or an address; IPv6 without brackets. */
  readonly hostname: string
  readonly port: number
  /** The value of the `host` header. */
  readonly host: string
  /** Path and query. */
  readonly path: string
  /** Basic credentials from the URL's user name and password; undefined without them. */
  readonly authorization: string | undefined
}

const URLS_CACHED_MAX = 1_000
const IPV6_BRACKETS = /^\[|\]$/g
const HTTPS_PORT = 443
const HTTP_PORT = 80

/** Parses an http or https URL. Cached, since most requests go to few URLs. Throws TypeError for an invalid one. */
export const parseTarget = memoize((text): RequestTarget => {
  const url = new URL(text)
  const { origin, protocol, hostname, port, host, pathname, search } = url
  const isSecure = protocol === 'https:'
  return {
    origin,
    isSecure,
    hostname: hostname.replaceAll(IPV6_BRACKETS, ''),
    port: Number(port) || (isSecure ? HTTPS_PORT : HTTP_PORT),
    host,
    path: `${pathname}${search}`,
    authorization: basicAuthorization(url),
  }
}, URLS_CACHED_MAX)

function basicAuthorization({ username, password }: URL): string | undefined {
  if (!username && !password) return undefined
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Basic ${Buffer.from(credentials).toString('base64')}`
}
