import { lookup } from 'node:dns/promises'
import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { BothLanguages } from '../core/language.ts'
import { MIB } from '../core/limits.ts'
import { isPublicAddress, isWithin } from './public-address.ts'
import { networkReason } from './read-response.ts'

const REDIRECTS_MAX = 3
const URL_CHARS_MAX = 8_192
/** Below it only web ports are allowed, so that no mail server, for example, reads our bytes as commands. */
const UNPRIVILEGED_PORT_MIN = 1_024
const WEB_PORTS: readonly number[] = [80, 443]
const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** A request to a URL that a user or an upstream response supplied. */
export interface SafeFetchRequest {
  readonly url: string
  /** GET follows up to three redirects, each checked like the first URL; POST follows none. */
  readonly method?: 'GET' | 'POST'
  /** Dropped when a redirect leads to another origin. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The limit for the response body. */
  readonly bytesMax: number
  /** For everything from name resolution to the last byte, redirects included. */
  readonly timeoutMs: number
}

export interface SafeFetchResponse {
  readonly kind: 'response'
  readonly status: number
  /** The server's own statement, so not to be trusted. Empty when there is none. */
  readonly contentType: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Why there is no response. The reason names no address, so it may be shown. */
export interface SafeFetchFailure {
  readonly kind: 'failure'
  /** The URL itself is not allowed. */
  readonly isDisallowed: boolean
  readonly reason: BothLanguages
}

/**
 * The only function that requests URLs which users choose: images, webhooks, drawings. Prevents SSRF: a name is resolved
 * once, every address must be public, and the connection goes to the checked address. Network errors are returned.
 */
export type SafeFetch = (request: SafeFetchRequest) => Promise<SafeFetchResponse | SafeFetchFailure>

/** The administrator's worker, which fetches in place of the gateway and so hides its address. */
export interface FetchWorker {
  readonly url: string
  readonly key: string
}

interface TargetCheckOptions {
  /** Addresses and ranges that are allowed although they are not public. */
  readonly allowed: readonly string[]
  /** Returns all addresses of a name. Throws when there are none. */
  readonly resolve?: (name: string) => Promise<readonly string[]>
}

interface SafeFetchOptions extends TargetCheckOptions {
  /** A trusted certificate authority (PEM) in place of the system's. */
  readonly authority?: string | undefined
}

interface CheckedTarget {
  readonly kind: 'target'
  readonly url: URL
  /** The checked address to connect to. */
  readonly address: string
}

/** Whether a URL may be fetched. Rejects with the system's error for a name without addresses. */
export type CheckTarget = (url: string) => Promise<CheckedTarget | SafeFetchFailure>

export function createTargetCheck({ allowed, resolve = resolveName }: TargetCheckOptions): CheckTarget {
  const isAllowed = (address: string) => isPublicAddress(address) || isWithin(address, allowed)
  return async text => {
    const url = parseUrl(text)
    if (!(url instanceof URL)) return url
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
    const addresses = isIP(host) ? [host] : await resolve(host)
    const [address] = addresses
    return address && addresses.every(isAllowed)
      ? { kind: 'target', url, address }
      : disallowed({ zh: '网关不得访问该地址', en: 'the gateway may not fetch this address' })
  }
}

export function createSafeFetch(options: SafeFetchOptions): SafeFetch {
  const { authority } = options
  const checkTarget = createTargetCheck(options)

  const requestFollowingRedirects = async (request: SafeFetchRequest, signal: AbortSignal) => {
    let { url, headers = {} } = request
    for (let hop = 0; hop <= REDIRECTS_MAX; hop += 1) {
      const target = await checkTarget(url)
      if (target.kind === 'failure') return target
      const result = await requestTarget(target, { ...request, headers }, signal, authority)
      if (result.kind !== 'redirect') return result
      const next = URL.parse(result.location, target.url)
      if (next?.origin !== target.url.origin) headers = {}
      url = next?.href ?? result.location
    }
    return failed({
      zh: `重定向超过 ${REDIRECTS_MAX} 次`,
      en: `it redirects more than ${REDIRECTS_MAX} times`,
    })
  }

  return async request => {
    const abort = new AbortController()
    const timedOut = Promise.withResolvers<SafeFetchFailure>()
    const deadline = setTimeout(() => {
      abort.abort()
      timedOut.resolve(failed(noResponse(request.timeoutMs)))
    }, request.timeoutMs)
    try {
      return await Promise.race([requestFollowingRedirects(request, abort.signal), timedOut.promise])
    } catch (cause) {
      return unreachable(cause)
    } finally {
      clearTimeout(deadline)
    }
  }
}

/** IPv4 first, since many networks have no IPv6 connectivity. */
async function resolveName(name: string): Promise<readonly string[]> {
  const found = await lookup(name, { all: true, order: 'ipv4first' })
  return found.map(({ address }) => address)
}

function parseUrl(text: string): URL | SafeFetchFailure {
  const url = text.length > URL_CHARS_MAX ? null : URL.parse(text)
  if (!url) return disallowed({ zh: '链接格式错误', en: 'the URL is malformed' })
  const { protocol, username, password, port } = url
  if (protocol !== 'http:' && protocol !== 'https:')
    return disallowed({ zh: '链接不是 http 或 https', en: 'the URL is neither http nor https' })
  if (username || password)
    return disallowed({ zh: '链接中包含用户名或密码', en: 'the URL contains a username or password' })
  const isWebPort = port === '' || WEB_PORTS.includes(Number(port)) || Number(port) >= UNPRIVILEGED_PORT_MIN
  return isWebPort ? url : disallowed({ zh: `不允许使用端口 ${port}`, en: `the port ${port} is not allowed` })
}

interface Redirect {
  readonly kind: 'redirect'
  readonly location: string
}

type TargetResult = SafeFetchResponse | SafeFetchFailure | Redirect

/** Connects to the checked address, even if the name resolves differently by now. The certificate is checked by name. */
function requestTarget(
  { url, address }: CheckedTarget,
  { method = 'GET', headers, body, bytesMax }: SafeFetchRequest,
  signal: AbortSignal,
  authority: string | undefined,
): Promise<TargetResult> {
  const { request: startRequest } = url.protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    const options = {
      method,
      signal,
      agent: false,
      lookup: lookupPinned(address),
      ca: authority,
      headers: { 'accept-encoding': 'identity', ...headers },
    } as const
    const call = startRequest(url, options, incoming => {
      const location =
        method === 'GET' && REDIRECT_STATUSES.has(incoming.statusCode ?? 0) && incoming.headers.location
      if (location) resolve({ kind: 'redirect', location })
      else readBody(incoming, bytesMax).then(resolve, reject)
      if (location) incoming.destroy()
    })
    call.on('error', reject)
    call.end(body)
  })
}

const lookupPinned =
  (address: string): LookupFunction =>
  (_name, options, done) => {
    const family = isIP(address)
    if (options.all) done(null, [{ address, family }])
    else done(null, address, family)
  }

async function readBody(
  incoming: http.IncomingMessage,
  bytesMax: number,
): Promise<SafeFetchResponse | SafeFetchFailure> {
  const { statusCode = 0, headers } = incoming
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    if (Number(headers['content-length'] ?? 0) > bytesMax) return tooLarge(bytesMax)
    if (headers['content-encoding'])
      return failed({
        zh: '内容经过压缩，但并未请求压缩',
        en: 'it is compressed although compression was not requested',
      })
    for await (const chunk of toBytes(incoming)) {
      size += chunk.byteLength
      if (size > bytesMax) return tooLarge(bytesMax)
      chunks.push(chunk)
    }
  } finally {
    incoming.destroy()
  }
  const bytes = Buffer.concat(chunks, size)
  return { kind: 'response', status: statusCode, contentType: headers['content-type'] ?? '', bytes }
}

/** A message without an encoding yields bytes and never text, so the cast is safe. */
const toBytes = (incoming: http.IncomingMessage): AsyncIterable<Uint8Array> =>
  incoming as AsyncIterable<Uint8Array>

const noResponse = (timeoutMs: number): BothLanguages => {
  const seconds = Math.round(timeoutMs / 1000)
  return { zh: `${seconds} 秒内没有响应`, en: `it did not respond within ${seconds} s` }
}

/** The failure of a call that threw. */
export const unreachable = (cause: unknown): SafeFetchFailure =>
  failed({
    zh: `无法连接（${networkReason(cause)}）`,
    en: `it could not be reached (${networkReason(cause)})`,
  })

export function tooLarge(bytesMax: number): SafeFetchFailure {
  const mib = Math.floor((bytesMax / MIB) * 10) / 10
  return failed({ zh: `大小超过 ${mib} MiB`, en: `it is larger than ${mib} MiB` })
}

export const failed = (reason: BothLanguages): SafeFetchFailure => ({
  kind: 'failure',
  isDisallowed: false,
  reason,
})
const disallowed = (reason: BothLanguages): SafeFetchFailure => ({
  kind: 'failure',
  isDisallowed: true,
  reason,
})
