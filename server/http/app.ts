import type { ActFor, ApiDeps } from '../api/context.ts'
import type { Route } from '../api/handle.ts'
import type { PlainRoute, RequestMetadata } from '../api/plain-route.ts'
import { parseRequestUrl, routingPath, withoutBasePath } from '../api/request-url.ts'
import { readBasePath } from '../core/base-path.ts'
import { newRequestId } from '../core/ids.ts'
import type { CachedValue } from '../db/engine/cached-value.ts'
import { createBodyMemory } from '../relay/request/body-memory.ts'
import type { ClientConnection } from '../relay/request/client-connection.ts'
import type { LiveCall } from '../relay/request/client-presence.ts'
import { createApiApp } from './api-app.ts'
import { createTrustedProxies, isUnnamedProxy, signInNetwork } from './client-address.ts'
import { compressLarge } from './compress-response.ts'
import { createConsolePages, type PageDeps } from './console-pages.ts'
import { badHostResponse } from './envelope.ts'
import { createPlainRoutes } from './plain-routes.ts'
import { createProbes, type ProbeDeps } from './probes.ts'
import type { CallLimitDeps } from './rate-limits.ts'
import { createRelayHandler, type HttpListener, isRelayPath, type RelayHandlerDeps } from './relay-handler.ts'
import { dropUnreadBody } from './request-body.ts'
import { withCommonHeaders, withSecurityHeaders, withStrictTransport } from './response-headers.ts'
import { createUnnamedProxies, type UnnamedProxies } from './unnamed-proxies.ts'

export interface AppDeps
  extends Omit<ApiDeps, 'listUnnamedProxies'>,
    PageDeps,
    ProbeDeps,
    CallLimitDeps,
    Pick<RelayHandlerDeps, 'responseCounter' | 'finalizeResponse'> {
  /** The routes of all resources of the management API. */
  readonly routes: readonly Route[]
  readonly actFor: ActFor
  /** Paths with formats of their own. */
  readonly plainRoutes: readonly PlainRoute[]
  /** Whether the relay serves a path that is none of its usual ones. */
  readonly isRelayPath: (path: string) => boolean
  /** Serves the relay's paths. It renders its own errors, so an exception is a bug. */
  readonly relay: (request: Request, connection: ClientConnection) => Promise<Response>
  /** Refreshed after each management call that may have changed them: settings and the channel directory. */
  readonly cachedValues: readonly CachedValue<unknown>[]
  readonly trustedProxies: readonly string[]
  readonly clientAddressHeader?: string | undefined
  /** The path below which a proxy serves the gateway, unless the proxy states another. */
  readonly basePath?: string
  readonly openCalls: Set<LiveCall>
  /** The memory for all request bodies in progress. */
  readonly bodyMemoryBytes: number
  /** Serves the fault lab at /lab, in development. */
  readonly lab?: (request: Request) => Promise<Response>
}

export interface App {
  fetch(request: Request, listener: HttpListener): Promise<Response>
}

const LAB_PATH = /^\/lab(\/|$)/
const NO_IDLE_TIMEOUT = 0

/** Serves everything on the port. Relay paths are dispatched first, before anything that only other routes need. */
export function createApp(deps: AppDeps): App {
  const unnamedProxies = createUnnamedProxies()
  const origins = createOrigins(deps, unnamedProxies)
  const probes = createProbes(deps)
  const bodyMemory = createBodyMemory(deps.bodyMemoryBytes)
  const api = createApiApp({
    ...deps,
    bodyMemory,
    listUnnamedProxies: unnamedProxies.list,
    afterChange: async () => void (await Promise.all(deps.cachedValues.map(value => value.refresh()))),
  })
  const pages = createConsolePages({ ...deps, respondToForm: api.fetch })
  const plainRoutes = createPlainRoutes(deps.plainRoutes, bodyMemory)
  const isServedByRelay = (path: string) => isRelayPath(path) || deps.isRelayPath(path)
  const respond = async (
    request: Request,
    path: string,
    metadata: RequestMetadata & { readonly listener: HttpListener },
  ): Promise<Response> => {
    const probe = await probes(request, path, metadata)
    if (probe) return withSecurityHeaders(probe)
    const plain = await plainRoutes(request, path, metadata)
    if (plain) return compressLarge(request, plain)
    if (path.startsWith('/api/'))
      return compressLarge(request, withSecurityHeaders(await api.fetch(request, metadata)))
    if (deps.lab && LAB_PATH.test(path)) {
      metadata.listener.timeout?.(request, NO_IDLE_TIMEOUT)
      return deps.lab(request)
    }
    return pages(request, path, metadata)
  }
  const relay = createRelayHandler({
    ...deps,
    bodyMemory,
    clientIpOf: (request, listener) => origins.read(request, listener).clientIp,
  })
  return {
    async fetch(request, listener) {
      const requestId = newRequestId()
      const basePath = origins.basePathOf(request, listener)
      const inner = withoutBasePath(request, basePath)
      const url = parseUrl(inner)
      if (url && isRelayPath(url.pathname)) return relay(request, { requestId, url, listener })
      const path = routingPath(url?.pathname ?? request.url)
      if (url && isServedByRelay(path)) return relay(request, { requestId, url, listener })
      const metadata = { requestId, listener, basePath, ...origins.readWithNetwork(request, listener) }
      const response = hasValidHost(url, inner)
        ? await respond(inner, path, metadata)
        : withSecurityHeaders((await probes(request, path, metadata)) ?? badHostResponse())
      dropUnreadBody(inner)
      const secured = metadata.isSecure ? withStrictTransport(response) : response
      return deps.finalizeResponse(withCommonHeaders(secured, requestId))
    },
  }
}

/** Reads where requests come from, and notes the proxies that are not among the trusted ones. */
function createOrigins(
  {
    trustedProxies,
    clientAddressHeader,
    basePath = '',
  }: Pick<AppDeps, 'trustedProxies' | 'clientAddressHeader' | 'basePath'>,
  unnamedProxies: UnnamedProxies,
) {
  const proxies = createTrustedProxies(trustedProxies, clientAddressHeader)
  const peerOf = (request: Request, listener: HttpListener): string =>
    listener.requestIP(request)?.address ?? 'unknown'
  const read = (request: Request, listener: HttpListener) => {
    const peer = peerOf(request, listener)
    const isSecure = isHttps(request, proxies.isTrusted(peer))
    return { peer, clientIp: proxies.clientAddress(request, peer), isSecure }
  }
  return {
    read,
    basePathOf(request: Request, listener: HttpListener): string {
      const stated = request.headers.get('x-forwarded-prefix')
      if (stated === null || !proxies.isTrusted(peerOf(request, listener))) return basePath
      return readBasePath(stated) ?? basePath
    },
    readWithNetwork(request: Request, listener: HttpListener) {
      const origin = read(request, listener)
      const isProxyUnnamed = isUnnamedProxy(request, origin.peer, proxies)
      if (isProxyUnnamed) unnamedProxies.note(origin.clientIp)
      return { ...origin, network: signInNetwork(request, { clientIp: origin.clientIp, isProxyUnnamed }) }
    },
  }
}

/**
 * Undefined unless the request names one host. The runtime passes only the path for requests without a host, which old
 * probes send, or with a host that cannot exist, and joins several hosts by commas.
 */
const parseUrl = ({ url, headers }: Request): URL | undefined =>
  url.startsWith('http') && !headers.get('host')?.includes(',') ? parseRequestUrl(url) : undefined

const isHttps = (request: Request, isProxied: boolean): boolean =>
  request.url.startsWith('https:') || (isProxied && request.headers.get('x-forwarded-proto') === 'https')

/** Pages may name the address at which they are served. */
const hasValidHost = (url: URL | undefined, request: Request): boolean =>
  url !== undefined && URL.canParse(request.url)
