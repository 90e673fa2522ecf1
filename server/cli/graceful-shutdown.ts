import type { Server } from 'bun'
import type { ComposedApp } from '../compose-app.ts'
import { withTimeout } from '../core/async.ts'
import { elapsedMs, sleepMs } from '../core/clock.ts'
import { errorMessage } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import { closeWebSockets } from '../http/websockets.ts'
import type { SocketListener } from '../relay/request/client-connection.ts'

/** Time for responses in progress to complete after a stop signal. */
const DRAIN_MS_MAX = 30_000
const DRAIN_CHECK_MS = 50
/** A stalled database must not keep the process: other processes or the next start release its holds. */
const CLOSE_TIMEOUT_MS = 10_000
const QUIET_CHECK_MS = 20
const PROBE_PATH = /^(https?:\/\/[^/]+)?\/(healthz|readyz|metrics)(\?|$)/
const EXIT_INCOMPLETE = 1

/** How long no request may arrive before the listener closes, and how long to wait for that. */
export interface DrainTimeouts {
  readonly quietMs: number
  readonly waitMsMax: number
}

/** Load balancers need several probes of `/readyz` until they move on; until then everything is served. */
const WITH_PEERS: DrainTimeouts = { quietMs: 500, waitMsMax: 10_000 }
/** Clients have nowhere else to go. */
const WITHOUT_PEERS: DrainTimeouts = { quietMs: 100, waitMsMax: 1000 }

/** Resolves on SIGINT or SIGTERM, or, in a worker, when its standard input ends because the parent is gone. */
export const waitForStopSignal = ({ isWorker = false } = {}): Promise<void> =>
  new Promise(resolve => {
    process.once('SIGINT', () => resolve())
    process.once('SIGTERM', () => resolve())
    if (isWorker) process.stdin.once('end', () => resolve()).resume()
  })

interface Serving {
  readonly server: Server<SocketListener>
  readonly composed: ComposedApp
  readonly gate: ShutdownGate
  readonly log: Logger
}

/**
 * Shuts down without dropping a request: keeps serving until clients move on, stops accepting connections, lets responses
 * in progress complete, then closes everything. Returns the exit code.
 */
export async function shutDown({ server, composed, gate, log }: Serving): Promise<number> {
  composed.drain()
  const deadlineMs = elapsedMs() + DRAIN_MS_MAX
  gate.startDraining()
  await gate.untilQuiet(composed.hasPeers ? WITH_PEERS : WITHOUT_PEERS)
  void server.stop()
  await Promise.race([closeWebSockets(), sleepMs(deadlineMs - elapsedMs())])
  while (server.pendingRequests > 0 && elapsedMs() < deadlineMs) await sleepMs(DRAIN_CHECK_MS)
  if (server.pendingRequests > 0)
    log.warn('responses were cut off by the shutdown', { count: server.pendingRequests })
  await server.stop(true)
  try {
    await withTimeout(CLOSE_TIMEOUT_MS, composed.close())
    return 0
  } catch (error) {
    log.error('the shutdown could not complete', { reason: errorMessage(error) })
    return EXIT_INCOMPLETE
  }
}

/** Keeps serving while the process shuts down, but closes each connection so that load balancers move on. */
export interface ShutdownGate {
  /** To be called with every request. */
  onRequest(request: Request): void
  /** While draining, marks the response as the last of its connection. */
  finalizeResponse(response: Response): Response
  startDraining(): void
  /** Resolves when no request except probes has arrived for `quietMs`, or after `waitMsMax`. */
  untilQuiet(timeouts: DrainTimeouts): Promise<void>
}

export function createShutdownGate(): ShutdownGate {
  let isDraining = false
  let lastRequestMs = 0
  return {
    onRequest(request) {
      if (isDraining && !PROBE_PATH.test(request.url)) lastRequestMs = elapsedMs()
    },
    finalizeResponse(response) {
      if (isDraining) response.headers.set('connection', 'close')
      return response
    },
    startDraining() {
      isDraining = true
      lastRequestMs = elapsedMs()
    },
    async untilQuiet({ quietMs, waitMsMax }) {
      const deadlineMs = elapsedMs() + waitMsMax
      while (elapsedMs() < deadlineMs && elapsedMs() - lastRequestMs < quietMs) await sleepMs(QUIET_CHECK_MS)
    },
  }
}
