import { elapsedMs } from '../../core/clock.ts'
import { CONNECT_TIMEOUT_MS } from '../http1/connection-pool.ts'

/** A machine that answered this lately needs no look before a call. */
const FRESH_MS = 60_000
const ORIGINS_MAX = 10_000

/** Origin to when it last took a connection, or the look that is under way. */
const reached = new Map<string, number | Promise<boolean>>()

/**
 * Whether an address takes connections at all. The runtime's `fetch` has no deadline of its own for that, and without one
 * a machine that swallows packets would hold a request for minutes. Looks only where nothing was heard for a minute;
 * only a deadline that passes means no: what is refused is for the call itself to tell.
 */
export async function takesConnections(url: string, connectMs = CONNECT_TIMEOUT_MS): Promise<boolean> {
  const origin = originOf(url)
  if (isKnown(origin)) return true
  const look = reached.get(origin)
  return typeof look === 'object' ? look : lookAt(origin, url, connectMs)
}

/** Whether it was heard of within a minute. */
export function isKnown(origin: string): boolean {
  const known = reached.get(origin)
  return typeof known === 'number' && elapsedMs() - known < FRESH_MS
}

/** An answer came: it is there. */
export function noteReached(origin: string): void {
  if (reached.size >= ORIGINS_MAX && !reached.has(origin)) reached.clear()
  reached.set(origin, elapsedMs())
}

async function lookAt(origin: string, url: string, connectMs: number): Promise<boolean> {
  const look = connectWithin(url, connectMs)
  reached.set(origin, look)
  const isThere = await look
  if (isThere) noteReached(origin)
  else reached.delete(origin)
  return isThere
}

function connectWithin(url: string, connectMs: number): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), connectMs)
  const socket = { open: endSocket, data: () => undefined, error: () => undefined }
  const secure = protocol === 'https:' || protocol === 'wss:'
  Bun.connect({
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (secure ? 443 : 80),
    socket,
  }).then(
    () => resolve(true),
    () => resolve(true),
  )
  return promise.finally(() => clearTimeout(timer))
}

function endSocket(opened: Bun.Socket): void {
  opened.end()
}

/** Scheme, host and port: what stands before the path. */
export function originOf(url: string): string {
  const path = url.indexOf('/', url.indexOf('//') + 2)
  return path < 0 ? url : url.slice(0, path)
}
