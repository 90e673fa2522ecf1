import type { Logger } from '../core/logger.ts'
import type { Arrival } from './api-app.ts'
import { isForwarded, isLoopback } from './client-address.ts'
import { errorEnvelope } from './envelope.ts'
import { identify } from './identify.ts'
import { languageOf } from './language.ts'
import type { SessionStore } from './session-cookie.ts'

const UNAVAILABLE = 503

export interface ProbeParts {
  readonly readiness: () => Promise<Readiness>
  /** Prometheus text. */
  readonly metrics: () => string | Promise<string>
}

/** `reason` says why not, for the operator. */
export type Readiness = { readonly isReady: true } | { readonly isReady: false; readonly reason: string }

type Probe = (
  request: Request,
  path: string,
  arrival: Arrival & { peer: string },
) => Promise<Response | undefined>

/** What the process tells of itself: /healthz, /readyz and, to administrators and this machine only, /metrics. */
export function createProbes(parts: ProbeParts & SessionStore & { log: Logger }): Probe {
  return async (request, path, arrival) => {
    const probe = path.replace(/\/$/, '')
    if (probe === '/healthz') return new Response('ok\n')
    if (probe === '/readyz') return answerReadiness(await parts.readiness())
    if (probe === '/metrics') return answerMetrics(request, arrival, parts)
    return undefined
  }
}

const answerReadiness = (readiness: Readiness): Response =>
  readiness.isReady ? new Response('ready\n') : new Response(`${readiness.reason}\n`, { status: UNAVAILABLE })

async function answerMetrics(
  request: Request,
  { peer, requestId }: Arrival & { peer: string },
  parts: ProbeParts & SessionStore & { log: Logger },
): Promise<Response> {
  try {
    if (!isLoopback(peer) || isForwarded(request)) await identify(request, 'admin', parts)
    return new Response(await parts.metrics(), { headers: { 'content-type': 'text/plain; version=0.0.4' } })
  } catch (error) {
    return errorEnvelope(error, languageOf(request), { log: parts.log, requestId })
  }
}
