import { COMMON_HEADERS, OPENER_POLICY, pageHeaders } from '../api/page-headers.ts'
import type { RequestMetadata } from '../api/plain-route.ts'
import { parseRequestUrl } from '../api/request-url.ts'
import type { Settings } from '../settings/settings.ts'
import { notFoundResponse } from './envelope.ts'
import { readPagePolicy, withHeaders, withSecurityHeaders } from './response-headers.ts'
import { HASHED_FOLDER, type StaticFiles } from './static-files.ts'

export interface PageDeps {
  readonly files: StaticFiles
  readonly settings: Settings
}

interface ConsolePagesDeps extends PageDeps {
  /** Serves the addresses of pages to which outside parties let browsers post a form. */
  readonly respondToForm: (request: Request, metadata: RequestMetadata) => Response | Promise<Response>
}

const NOT_BUILT = 'The console has not been built. Run `npm start`, or `npm run dev` while you work on it.\n'
/** Popups return here from an identity provider. An opener policy would cut them off from the page that opened them. */
const SIGN_IN_PATH = '/oauth/'
const UNAVAILABLE = 503
/** Protocols, versions of APIs below any base, and files that programs probe: they would read a page as settings or as an answer. */
const CLIENT_PATH =
  /^\/((\.well-known|protocol|managed|assets|mcp|sse|scim|upload|graphql|rpc|metadata)([/;]|$)|v\d|[\w-]+\/v\d\w*([/:;]|$))|\.(txt|xml|json|ya?ml|md|php|env|js|map|css|png|ico|svg)\/?$/i
const PAGE_PATHS: ReadonlySet<string> = new Set(['/', '/index.html'])
const isForPrograms = (path: string): boolean => CLIENT_PATH.test(path) && !PAGE_PATHS.has(path)
const READ_METHODS = new Set(['GET', 'HEAD'])

/** Serves the console: its files, and its page for every other path, which the console routes itself. */
export function createConsolePages({ files, settings, respondToForm }: ConsolePagesDeps) {
  const respondWithPage = (path: string, accept: string, basePath: string): Response => {
    const page = files.index(accept, basePath)
    if (!page) return new Response(NOT_BUILT, { status: UNAVAILABLE })
    const headers = pageHeaders(readPagePolicy(settings.current().values, files.scriptHashes))
    return withHeaders(page, path.startsWith(SIGN_IN_PATH) ? headers : { ...headers, ...OPENER_POLICY })
  }
  return async (request: Request, path: string, metadata: RequestMetadata): Promise<Response> => {
    if (!READ_METHODS.has(request.method)) return withSecurityHeaders(await respondToForm(request, metadata))
    const accept = request.headers.get('accept-encoding') ?? ''
    const file = PAGE_PATHS.has(path) ? undefined : files.find(parseRequestUrl(request.url).pathname, accept)
    if (file) return path.startsWith(HASHED_FOLDER) ? file : withHeaders(file, COMMON_HEADERS)
    return isForPrograms(path) ? notFoundResponse(request) : respondWithPage(path, accept, metadata.basePath)
  }
}
