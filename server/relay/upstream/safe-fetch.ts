import { lookup } from 'node:dns/promises'
import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { startTimer } from '../../core/timers.ts'
import { MIB } from '../../core/limits.ts'
import { networkReason } from './network-errors.ts'
import { isPublicAddress, isWithin } from './public-address.ts'

const REDIRECTS_MAX = 3
const ADDRESS_CHARS_MAX = 8_192
/** Below it only the ports of the web are asked: no mail server reads our bytes as commands. */
const FIRST_FREE_PORT = 1_024
const WEB_PORTS: readonly number[] = [80, 443]
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** One call to an address that a user or a vendor's answer named. */
export interface EgressRequest {
  readonly url: string
  /** GET follows up to three redirects, each checked like the first address; POST follows none. */
  readonly method?: 'GET' | 'POST'
  /** Not sent on to another origin. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The most that is read of the answer. */
  readonly bytesMax: number
  /** For everything: names, redirects, the last byte. */
  readonly timeoutMs: number
}

export interface EgressAnswer {
  readonly kind: 'answer'
  readonly status: number
  /** As the other side says; trust the bytes instead. Empty when it says nothing. */
  readonly contentType: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Why there is no answer, in words that may be shown: they name no address. */
export interface EgressFailure {
  readonly kind: 'failure'
  /** The address is none that we ask, whoever stands behind it. */
  readonly isRefused: boolean
  readonly reason: string
}

/**
 * The only function that calls addresses of users' choosing: pictures, webhooks, drawings. A name is resolved once and
 * the connection is made to what was found then; private networks of both families are refused. Never throws for the
 * other side's sake.
 */
export type Egress = (request: EgressRequest) => Promise<EgressAnswer | EgressFailure>

interface EgressParts {
  /** Addresses and ranges that may be asked although they are not public. */
  readonly allowed: readonly string[]
  /** All addresses of a name. Throws when it has none. */
  readonly resolve?: (name: string) => Promise<readonly string[]>
  /** A certificate (PEM) that sites are believed by, instead of those that the system knows. */
  readonly authority?: string | undefined
}

interface Target {
  readonly kind: 'target'
  readonly url: URL
  /** The address that the connection is made to. */
  readonly address: string
}

export function openEgress({ allowed, resolve = resolveName, authority }: EgressParts): Egress {
  const isAllowed = (address: string) => isPublicAddress(address) || isWithin(address, allowed)

  const findTarget = async (text: string): Promise<Target | EgressFailure> => {
    const url = readAddress(text)
    if (!(url instanceof URL)) return url
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
    const addresses = isIP(host) ? [host] : await resolve(host)
    const [address] = addresses
    return address && addresses.every(isAllowed)
      ? { kind: 'target', url, address }
      : refused('the address is not open to the gateway')
  }

  const follow = async (request: EgressRequest, signal: AbortSignal) => {
    let { url, headers = {} } = request
    for (let hop = 0; hop <= REDIRECTS_MAX; hop += 1) {
      const target = await findTarget(url)
      if (target.kind === 'failure') return target
      const asked = await ask(target, { ...request, headers }, signal, authority)
      if (asked.kind !== 'redirect') return asked
      const next = URL.parse(asked.location, target.url)
      if (next?.origin !== target.url.origin) headers = {}
      url = next?.href ?? asked.location
    }
    return failed(`it leads on more than ${REDIRECTS_MAX} times`)
  }

  return async request => {
    const abort = new AbortController()
    const late = Promise.withResolvers<EgressFailure>()
    const deadline = startTimer(request.timeoutMs, () => {
      abort.abort()
      late.resolve(failed(`it did not answer within ${Math.round(request.timeoutMs / 1000)} s`))
    })
    try {
      return await Promise.race([follow(request, abort.signal), late.promise])
    } catch (cause) {
      return failed(`it could not be reached (${networkReason(cause)})`)
    } finally {
      deadline.cancel()
    }
  }
}

/** IPv4 first, since many networks have no way out for IPv6. */
async function resolveName(name: string): Promise<readonly string[]> {
  const found = await lookup(name, { all: true, order: 'ipv4first' })
  return found.map(({ address }) => address)
}

function readAddress(text: string): URL | EgressFailure {
  const url = text.length > ADDRESS_CHARS_MAX ? null : URL.parse(text)
  if (!url) return refused('the address cannot be read')
  const { protocol, username, password, port } = url
  if (protocol !== 'http:' && protocol !== 'https:') return refused('the address is neither http nor https')
  if (username || password) return refused('the address holds a user name or password')
  const isWebPort = port === '' || WEB_PORTS.includes(Number(port)) || Number(port) >= FIRST_FREE_PORT
  return isWebPort ? url : refused(`the port ${port} is none of the web's`)
}

interface Redirect {
  readonly kind: 'redirect'
  readonly location: string
}

type Asked = EgressAnswer | EgressFailure | Redirect

/** Connects to the address that was checked, whatever the name means by now. The certificate is still the name's. */
function ask(
  { url, address }: Target,
  { method = 'GET', headers, body, bytesMax }: EgressRequest,
  signal: AbortSignal,
  authority: string | undefined,
): Promise<Asked> {
  const { request: open } = url.protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    const options = {
      method,
      signal,
      agent: false,
      lookup: pinnedTo(address),
      ca: authority,
      headers: { 'accept-encoding': 'identity', ...headers },
    } as const
    const call = open(url, options, incoming => {
      const location =
        method === 'GET' && REDIRECTS.has(incoming.statusCode ?? 0) && incoming.headers.location
      if (location) resolve({ kind: 'redirect', location })
      else read(incoming, bytesMax).then(resolve, reject)
      if (location) incoming.destroy()
    })
    call.on('error', reject)
    call.end(body)
  })
}

const pinnedTo =
  (address: string): LookupFunction =>
  (_name, options, done) => {
    const family = isIP(address)
    if (options.all) done(null, [{ address, family }])
    else done(null, address, family)
  }

async function read(incoming: http.IncomingMessage, bytesMax: number): Promise<EgressAnswer | EgressFailure> {
  const { statusCode = 0, headers } = incoming
  const tooLarge = failed(`it is larger than ${Math.floor((bytesMax / MIB) * 10) / 10} MiB`)
  const pieces: Uint8Array[] = []
  let size = 0
  try {
    if (Number(headers['content-length'] ?? 0) > bytesMax) return tooLarge
    if (headers['content-encoding']) return failed('it is compressed although that was not asked for')
    for await (const piece of bytesOf(incoming)) {
      size += piece.byteLength
      if (size > bytesMax) return tooLarge
      pieces.push(piece)
    }
  } finally {
    incoming.destroy()
  }
  const bytes = joined(pieces, size)
  return { kind: 'answer', status: statusCode, contentType: headers['content-type'] ?? '', bytes }
}

/** Without an encoding a message gives bytes and never text. */
const bytesOf = (incoming: http.IncomingMessage): AsyncIterable<Uint8Array> =>
  incoming as AsyncIterable<Uint8Array>

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.byteLength
  }
  return bytes
}

const failed = (reason: string): EgressFailure => ({ kind: 'failure', isRefused: false, reason })
const refused = (reason: string): EgressFailure => ({ kind: 'failure', isRefused: true, reason })
