import { remembered } from '../../core/remembered.ts'
import { WireError } from './http-error.ts'
import type { Destination } from './target.ts'

export interface WireRequest {
  readonly method: 'GET' | 'POST'
  /** Of http or https. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Of POST only. */
  readonly body: string | Uint8Array | undefined
}

/** A request as it goes over a connection. */
export interface WrittenRequest {
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
export function writeRequest(destination: Destination, request: WireRequest): WrittenRequest {
  const { method, headers } = request
  const body = (method === 'POST' && request.body) || ''
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
  const lengthLine = method === 'POST' ? `content-length: ${length}\r\n` : ''
  const line = `${method} ${destination.target} HTTP/1.1\r\n`
  const head = `${line}${headerLines(destination, headers)}${lengthLine}\r\n`
  return { head, body, size: head.length + length }
}

/** Those that are given, and what is added unless it is given. */
function headerLines({ host, authorization }: Destination, headers: WireRequest['headers']): string {
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

const unsendable = (): WireError => new WireError('EINVAL', 'a header holds what none may hold')
