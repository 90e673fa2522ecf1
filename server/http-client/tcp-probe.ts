import { elapsedMs } from '../core/clock.ts'
import { CONNECT_TIMEOUT_MS } from './http1/http-connection.ts'

/** An origin that was reached this recently needs no probe. */
const FRESH_MS = 60_000
const ORIGINS_MAX = 10_000
const HTTPS_PORT = 443
const HTTP_PORT = 80

/** For each origin the time of its last connection, or the probe in progress. */
const probes = new Map<string, number | Promise<boolean>>()

/**
 * Whether a server accepts connections. The runtime's `fetch` has no connect timeout, so a server that drops packets
 * would hold a request for minutes. Probes only origins that were not reached lately. A refused connection counts as
 * accepted, since the call itself reports it.
 */
export async function acceptsConnections(url: string, timeoutMs = CONNECT_TIMEOUT_MS): Promise<boolean> {
  const origin = originOf(url)
  if (wasReachedRecently(origin)) return true
  const probe = probes.get(origin)
  return typeof probe === 'object' ? probe : startProbe(origin, url, timeoutMs)
}

function wasReachedRecently(origin: string): boolean {
  const reachedMs = probes.get(origin)
  return typeof reachedMs === 'number' && elapsedMs() - reachedMs < FRESH_MS
}

/** The origin responded. */
export function markReached(origin: string): void {
  if (probes.size >= ORIGINS_MAX && !probes.has(origin)) probes.clear()
  probes.set(origin, elapsedMs())
}

async function startProbe(origin: string, url: string, timeoutMs: number): Promise<boolean> {
  const probe = probeConnection(url, timeoutMs)
  probes.set(origin, probe)
  const isReachable = await probe
  if (isReachable) markReached(origin)
  else probes.delete(origin)
  return isReachable
}

/** False only when the timeout passes. */
function probeConnection(url: string, timeoutMs: number): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), timeoutMs)
  const isSecure = protocol === 'https:' || protocol === 'wss:'
  Bun.connect({
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (isSecure ? HTTPS_PORT : HTTP_PORT),
    socket: { open: opened => void opened.end(), data: () => undefined, error: () => undefined },
  }).then(
    () => resolve(true),
    () => resolve(true),
  )
  return promise.finally(() => clearTimeout(timer))
}

/** Scheme, host and port of a URL. */
export function originOf(url: string): string {
  const path = url.indexOf('/', url.indexOf('//') + 2)
  return path < 0 ? url : url.slice(0, path)
}
