import type { RequestMetadata } from '../api/plain-route.ts'
import { withTimeout } from '../core/async.ts'
import { errorMessage } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { RateLimiter } from '../core/rate-limit.ts'
import { isMigrated, type OpenDatabase } from '../db/engine/database.ts'
import type { Settings } from '../settings/settings.ts'
import { authenticateApiCall, METRICS_PATH, type SessionStore } from './authenticate.ts'
import { apiLanguage, errorEnvelope } from './envelope.ts'

const UNAVAILABLE = 503
const UNAUTHENTICATED = 401

export interface ProbeDeps {
  readonly readiness: () => Promise<Readiness>
  readonly settings: Settings
  /** Renders the Prometheus text format. */
  readonly metrics: () => string | Promise<string>
}

/** Whether the process can serve requests, and what the operator should know. */
export type Readiness =
  | { readonly isReady: true; readonly remark?: string }
  | { readonly isReady: false; readonly reason: string }

type Probe = (request: Request, path: string, metadata: RequestMetadata) => Promise<Response | undefined>

/** Serves /healthz, /readyz and, for administrators unless an option opens it, /metrics. Undefined for any other path. */
export function createProbes(deps: ProbeDeps & SessionStore & { log: Logger }): Probe {
  return async (request, path, metadata) => {
    const probe = path.replace(/\/$/, '')
    if (probe === '/healthz') return new Response('ok\n')
    if (probe === '/readyz') return readinessResponse(await deps.readiness())
    if (probe === METRICS_PATH) return metricsResponse(request, metadata, deps)
    return undefined
  }
}

const readinessResponse = (readiness: Readiness): Response =>
  readiness.isReady
    ? new Response(`${['ready', ...(readiness.remark ? [readiness.remark] : [])].join('; ')}\n`)
    : new Response(`${readiness.reason}\n`, { status: UNAVAILABLE })

async function metricsResponse(
  request: Request,
  { requestId, clientIp }: RequestMetadata,
  deps: ProbeDeps & SessionStore & { log: Logger },
): Promise<Response> {
  try {
    if (!deps.settings.current().values.MetricsOpenEnabled)
      await authenticateApiCall(request, METRICS, clientIp, deps)
    return new Response(await deps.metrics(), { headers: { 'content-type': 'text/plain; version=0.0.4' } })
  } catch (error) {
    const response = errorEnvelope(error, apiLanguage(request), { log: deps.log, requestId })
    // Prometheus takes any page with status 200 for figures.
    return response.status === 200
      ? new Response(response.body, { headers: response.headers, status: UNAUTHENTICATED })
      : response
  }
}

/** A scraper sends an access token; a script may use a session like other calls. */
const METRICS = { method: 'GET', path: METRICS_PATH, role: 'admin' } as const

/** Below the usual timeout of a readiness probe. */
const DATABASE_TIMEOUT_MS = 2_000

/** No reason to serve nothing: all processes would stop at once. */
const STORE_LOST =
  'the shared store of rate limits does not respond; once it is lost for 40 seconds, each process counts for itself'

/** The state behind `/readyz`. After `drain` the process is no longer ready. */
export function createReadinessCheck(
  { database, rateLimiter }: { readonly database: OpenDatabase; readonly rateLimiter: RateLimiter },
  isWriting: () => boolean,
) {
  let isDraining = false
  return {
    drain() {
      isDraining = true
    },
    async read(): Promise<Readiness> {
      if (isDraining) return { isReady: false, reason: 'the process is shutting down' }
      if (!isWriting()) return { isReady: false, reason: 'the database does not accept writes' }
      try {
        return (await withTimeout(DATABASE_TIMEOUT_MS, isMigrated(database)))
          ? { isReady: true, ...(rateLimiter.isStoreLost?.() && { remark: STORE_LOST }) }
          : { isReady: false, reason: 'the database schema does not match this version' }
      } catch (error) {
        return { isReady: false, reason: `the database does not respond: ${errorMessage(error)}` }
      }
    },
  }
}
