import { remembered } from '../../core/remembered.ts'
import { HttpError } from './http-response.ts'

/** Where a request goes, and what it asks for there. */
export interface RequestTarget {
  /** Scheme, host and port: connections to the same are alike. */
  readonly origin: string
  readonly isSecure: boolean
  /** A name or an address, without the brackets of IPv6. */
  readonly hostname: string
  readonly port: number
  /** As the header says it. */
  readonly host: string
  /** Path and query. */
  readonly path: string
  /** What the user name and password in the address mean; undefined without them. */
  readonly authorization: string | undefined
}

const REMEMBERED_MAX = 1_000
const BRACKETS = /^\[|\]$/g
const SECURE_PORT = 443
const PLAIN_PORT = 80

/** Reads an address of http or https. Throws TypeError for what is none. Most requests go where others went before. */
export const parseTarget = remembered(readUrl, REMEMBERED_MAX)

function readUrl(text: string): RequestTarget {
  const url = new URL(text)
  const { origin, protocol, hostname, port, host, pathname, search } = url
  const isSecure = protocol === 'https:'
  return {
    origin,
    isSecure,
    hostname: hostname.replaceAll(BRACKETS, ''),
    port: Number(port) || (isSecure ? SECURE_PORT : PLAIN_PORT),
    host,
    path: `${pathname}${search}`,
    authorization: authorizationOf(url),
  }
}

function authorizationOf({ username, password }: URL): string | undefined {
  if (!username && !password) return undefined
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Basic ${Buffer.from(pair).toString('base64')}`
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  /** Of http or https. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Of POST only. */
  readonly body: string | Uint8Array | undefined
}

/** A request as it goes over a connection. */
export interface SerializedRequest {
  /** With the empty line that ends it. */
  readonly head: string
  readonly body: string | Uint8Array
  /** Bytes of both. */
  readonly size: number
}

/** What the connection itself decides. An answer that is not compressed need not be unpacked, and streams come at once. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'expect',
  'upgrade',
])
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/
const VALUE = /^[\t\x20-\x7e]*$/

/**
 * Writes a request of HTTP/1.1 (RFC 9112). Throws WireError EINVAL for a header that cannot be sent: a line break in it
 * would begin another one.
 */
export function serializeRequest(destination: RequestTarget, request: HttpRequest): SerializedRequest {
  const { method, headers } = request
  const body = (method === 'POST' && request.body) || ''
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
  const lengthLine = method === 'POST' ? `content-length: ${length}\r\n` : ''
  const line = `${method} ${destination.path} HTTP/1.1\r\n`
  const head = `${line}${headerLines(destination, headers)}${lengthLine}\r\n`
  return { head, body, size: head.length + length }
}

/** Those that are given, and what is added unless it is given. */
function headerLines({ host, authorization }: RequestTarget, headers: HttpRequest['headers']): string {
  let lines = 'accept-encoding: identity\r\n'
  let added = ALL_ADDED
  for (const name in headers) {
    const role = roleOf(name)
    if (role === 'own') continue
    if (role !== 'plain') added &= ~ADDED[role]
    lines += headerLine(name, headers[name] ?? '')
  }
  if (added & ADDED.host) lines += `host: ${host}\r\n`
  if (added & ADDED['user-agent']) lines += 'user-agent: Tollgate\r\n'
  if (added & ADDED.accept) lines += 'accept: */*\r\n'
  if (authorization && added & ADDED.authorization) lines += `authorization: ${authorization}\r\n`
  return lines
}

/** A bit for each header that is added unless it is given. */
const ADDED = { host: 1, 'user-agent': 2, accept: 4, authorization: 8 } as const
const ALL_ADDED = 15
const NAMES_REMEMBERED_MAX = 1_000

/** Programs know few names of headers. Throws for what is none. */
const roleOf = remembered((name): keyof typeof ADDED | 'own' | 'plain' => {
  if (!TOKEN.test(name)) throw unsendable()
  const lower = name.toLowerCase()
  if (OWN_HEADERS.has(lower)) return 'own'
  return isAdded(lower) ? lower : 'plain'
}, NAMES_REMEMBERED_MAX)

const isAdded = (name: string): name is keyof typeof ADDED => Object.hasOwn(ADDED, name)

function headerLine(name: string, value: string): string {
  if (!VALUE.test(value)) throw unsendable()
  return `${name}: ${value}\r\n`
}

const unsendable = (): HttpError => new HttpError('EINVAL', 'a header holds what none may hold')
