import type { Settings } from '../api/settings.ts'
import type { RateLimiter } from '../core/rate-limit.ts'
import { ApiError } from '../core/api-error.ts'
import { admitPage } from './admission.ts'
import type { Arrival } from './api-app.ts'
import { notFound } from './envelope.ts'
import { pagePolicyOf } from './page-policy.ts'
import { COMMON_HEADERS, pageHeaders, withHeaders } from './security-headers.ts'
import type { StaticFiles } from './static-files.ts'

export interface PageParts {
  readonly files: StaticFiles
  readonly settings: Settings
  readonly rateLimiter: RateLimiter
}

const NOT_BUILT = 'The console has not been built. Run `npm start`, or `npm run dev` while you work on it.\n'
const UNAVAILABLE = 503
const READING = new Set(['GET', 'HEAD'])

/** The console: its files, and its page for every path that it routes itself. Only pages are counted, files are not. */
export function createPages({ files, settings, rateLimiter }: PageParts) {
  const answerPage = async (accept: string, clientIp: string): Promise<Response> => {
    const tooOften = await admitPage(clientIp, rateLimiter).catch(refusedPage)
    if (tooOften) return tooOften
    const page = files.index(accept)
    if (!page) return new Response(NOT_BUILT, { status: UNAVAILABLE })
    return withHeaders(page, pageHeaders(pagePolicyOf(settings.current().values, files.scriptHashes)))
  }
  return async (
    request: Request,
    path: string,
    { clientIp }: Pick<Arrival, 'clientIp'>,
  ): Promise<Response> => {
    if (!READING.has(request.method)) return notFound(request)
    const accept = request.headers.get('accept-encoding') ?? ''
    const file = path === '/' || path === '/index.html' ? undefined : files.find(path, accept)
    if (file) return withHeaders(file, COMMON_HEADERS)
    return path.startsWith('/assets/') ? notFound(request) : answerPage(accept, clientIp)
  }
}

function refusedPage(error: unknown): Response {
  if (!(error instanceof ApiError)) throw error
  const headers = {
    'retry-after': String(error.retryAfterSeconds),
    'content-type': 'text/plain; charset=utf-8',
  }
  return new Response(`${error.in('zh')}\n${error.in('en')}\n`, { status: error.status, headers })
}
