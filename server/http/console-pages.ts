import type { Settings } from '../api/settings.ts'
import { ApiError } from '../core/api-error.ts'
import type { RateLimiter } from '../core/rate-limit.ts'
import type { RequestMetadata } from './api-app.ts'
import { notFoundResponse } from './envelope.ts'
import { limitPage } from './rate-limits.ts'
import {
  COMMON_HEADERS,
  OPENER_POLICY,
  pageHeaders,
  readPagePolicy,
  withHeaders,
} from './response-headers.ts'
import type { StaticFiles } from './static-files.ts'

export interface PageDeps {
  readonly files: StaticFiles
  readonly settings: Settings
  readonly rateLimiter: RateLimiter
}

const NOT_BUILT = 'The console has not been built. Run `npm start`, or `npm run dev` while you work on it.\n'
/** Popups return here from an identity provider. An opener policy would cut them off from the page that opened them. */
const SIGN_IN_PATH = '/oauth/'
const UNAVAILABLE = 503
const READ_METHODS = new Set(['GET', 'HEAD'])

/** Serves the console: its files, and its page for every other path, which the console routes itself. Only pages are rate-limited. */
export function createConsolePages({ files, settings, rateLimiter }: PageDeps) {
  const respondWithPage = async (path: string, accept: string, clientIp: string): Promise<Response> => {
    const rejection = await limitPage(clientIp, rateLimiter).catch(rateLimitedPage)
    if (rejection) return rejection
    const page = files.index(accept)
    if (!page) return new Response(NOT_BUILT, { status: UNAVAILABLE })
    const headers = pageHeaders(readPagePolicy(settings.current().values, files.scriptHashes))
    return withHeaders(page, path.startsWith(SIGN_IN_PATH) ? headers : { ...headers, ...OPENER_POLICY })
  }
  return async (
    request: Request,
    path: string,
    { clientIp }: Pick<RequestMetadata, 'clientIp'>,
  ): Promise<Response> => {
    if (!READ_METHODS.has(request.method)) return notFoundResponse(request)
    const accept = request.headers.get('accept-encoding') ?? ''
    const file = path === '/' || path === '/index.html' ? undefined : files.find(path, accept)
    if (file) return withHeaders(file, COMMON_HEADERS)
    return path.startsWith('/assets/') ? notFoundResponse(request) : respondWithPage(path, accept, clientIp)
  }
}

function rateLimitedPage(error: unknown): Response {
  if (!(error instanceof ApiError)) throw error
  const headers = {
    'retry-after': String(error.retryAfterSeconds),
    'content-type': 'text/plain; charset=utf-8',
  }
  return new Response(`${error.in('zh')}\n${error.in('en')}\n`, { status: error.status, headers })
}
