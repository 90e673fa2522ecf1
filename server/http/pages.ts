import type { Settings } from '../api/settings.ts'
import { notFound } from './envelope.ts'
import { pagePolicyOf } from './page-policy.ts'
import { COMMON_HEADERS, pageHeaders } from './security-headers.ts'
import type { StaticFiles } from './static-files.ts'

export interface PageParts {
  readonly files: StaticFiles
  readonly settings: Settings
}

const NOT_BUILT = 'The console has not been built. Run `npm start`, or `npm run dev` while you work on it.\n'
const UNAVAILABLE = 503
const READING = new Set(['GET', 'HEAD'])

/** The console: its files, and its page for every path that it routes itself. */
export function createPages({ files, settings }: PageParts) {
  return async (request: Request, path: string): Promise<Response> => {
    if (!READING.has(request.method)) return notFound(request)
    const accept = request.headers.get('accept-encoding') ?? ''
    const file = path === '/' || path === '/index.html' ? undefined : files.find(path, accept)
    if (file) return withHeaders(file, COMMON_HEADERS)
    if (path.startsWith('/assets/')) return notFound(request)
    const page = files.index(accept)
    if (!page) return new Response(NOT_BUILT, { status: UNAVAILABLE })
    return withHeaders(page, pageHeaders(pagePolicyOf(settings.current().values, files.scriptHashes)))
  }
}

function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}
