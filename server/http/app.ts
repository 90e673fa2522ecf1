import { createChannelRun, createLogDeletion } from '../api/background-runs.ts'
import type { ApiDeps } from '../api/context.ts'
import type { Route } from '../api/handle.ts'
import { newRequestId } from '../core/ids.ts'
import type { CachedValue } from '../db/engine/cached-value.ts'
import type { ClientConnection } from '../relay/request/client-connection.ts'
import { type Arrival, createApiApp } from './api-app.ts'
import { openProxies } from './client-address.ts'
import { badHost } from './envelope.ts'
import { createPages, type PageParts } from './pages.ts'
import { createProbes, type ProbeParts } from './probes.ts'
import { createRelayHandler, isRelayPath, type Listener, type RelayHandlerDeps } from './relay-handler.ts'
import { withAnswerHeaders } from './security-headers.ts'
import { withRequestId } from './with-request-id.ts'

export interface AppParts
  extends Omit<ApiDeps, 'channelTests' | 'balanceUpdates' | 'logDeletion'>,
    PageParts,
    ProbeParts,
    Pick<RelayHandlerDeps, 'answerCount' | 'seal'> {
  /** The routes of every resource: `routesOf(await loadFolders('server/api'))`. */
  readonly routes: readonly Route[]
  /** Answers /v1, /v1beta and /pg. It renders its own errors; what it throws is a bug. */
  readonly relay: (request: Request, door: ClientConnection) => Promise<Response>
  /** What is read again after each management call that may have changed it: settings, channel directory. */
  readonly lives: readonly CachedValue<unknown>[]
  readonly trustedProxies: readonly string[]
  /** The fault lab at /lab, in development. */
  readonly lab?: (request: Request) => Promise<Response>
}

export interface App {
  fetch(request: Request, listener: Listener): Promise<Response>
  /** Ends what runs in the background. */
  close(): Promise<void>
}

const LAB_PATH = /^\/lab(\/|$)/
const AS_LONG_AS_IT_TAKES = 0

/** Everything that the port answers. The relay comes first, and nothing stands in its way. */
export function createApp(parts: AppParts): App {
  const proxies = openProxies(parts.trustedProxies)
  const channelTests = createChannelRun(parts.log)
  const balanceUpdates = createChannelRun(parts.log)
  const logDeletion = createLogDeletion()
  const probes = createProbes(parts)
  const pages = createPages(parts)
  const api = createApiApp({
    ...parts,
    channelTests,
    balanceUpdates,
    logDeletion,
    afterChange: async () => void (await Promise.all(parts.lives.map(live => live.refresh()))),
  })
  const answer = async (
    request: Request,
    path: string,
    arrival: Arrival & { peer: string; listener: Listener },
  ): Promise<Response> => {
    const probe = await probes(request, path, arrival)
    if (probe) return withAnswerHeaders(probe)
    if (path.startsWith('/api/')) return withAnswerHeaders(await api.fetch(request, arrival))
    if (parts.lab && LAB_PATH.test(path)) {
      arrival.listener.timeout?.(request, AS_LONG_AS_IT_TAKES)
      return parts.lab(request)
    }
    return pages(request, path, arrival)
  }
  const arrivalOf = (request: Request, listener: Listener) => {
    const peer = listener.requestIP(request)?.address ?? 'unknown'
    const isSecure = cameByHttps(request, proxies.isTrusted(peer))
    return { peer, clientIp: proxies.clientOf(request, peer), isSecure }
  }
  const relay = createRelayHandler({
    ...parts,
    clientIpOf: (request, listener) => arrivalOf(request, listener).clientIp,
  })
  return {
    fetch(request, listener) {
      const requestId = newRequestId()
      const path = pathOf(request.url)
      if (isRelayPath(path)) return relay(request, { requestId, path, listener })
      const arrival = { requestId, listener, ...arrivalOf(request, listener) }
      const answered = isAbsolute(request.url)
        ? answer(request, path, arrival)
        : probes(request, request.url, arrival).then(probe => withAnswerHeaders(probe ?? badHost()))
      return answered.then(response => parts.seal(withRequestId(response, requestId)))
    },
    close: async () =>
      void (await Promise.all([channelTests, balanceUpdates, logDeletion].map(run => run.stop()))),
  }
}

/** The runtime makes no absolute address where a request names no host, as old probes do, or one that nobody can have. */
const isAbsolute = (url: string): boolean => url.startsWith('http')

/** The path of an absolute URL, without the cost of parsing all of it. Empty where there is no absolute one. */
function pathOf(url: string): string {
  const start = url.startsWith('/') ? url.length : url.indexOf('/', url.indexOf('//') + 2)
  const query = url.indexOf('?', start)
  return query === -1 ? url.slice(start) : url.slice(start, query)
}

const cameByHttps = (request: Request, isProxied: boolean): boolean =>
  request.url.startsWith('https:') || (isProxied && request.headers.get('x-forwarded-proto') === 'https')
