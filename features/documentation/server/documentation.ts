import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { z } from 'zod'
import {
  CONTENT_TYPES,
  filePolicy,
  IMMUTABLE,
  OPENER_POLICY,
  pageHeaders,
  REVALIDATE,
} from '#server/api/page-headers.ts'
import type { PlainRequest } from '#server/api/plain-route.ts'
import { parseRequestUrl } from '#server/api/request-url.ts'

const decompress = promisify(brotliDecompress)

const ROOT = '/docs/'
/** Addresses below the root of the host in the built site. */
const ROOT_ADDRESS = /(?<=["(])\/docs\/|(?<=href=")\/(?=logo\.svg")/g
/** No segment begins with a dot, so no path leaves the folder. */
const SAFE_PATH = /^([\w@-][\w@.-]*\/)*([\w@-][\w@.-]*)?$/
const HASHED_ASSET = /^assets\//
const HASHES = z.array(z.string().startsWith('sha256-'))
const READ_METHODS = new Set(['GET', 'HEAD'])
const MOVED_PERMANENTLY = 308
const NOT_FOUND = 404
const UNAVAILABLE = 503
const NOT_BUILT = 'The documentation is not built yet. Try again in a few seconds, or run `npm run docs`.\n'

/**
 * Serves the documentation site that `npm run docs` builds. Its files are read when they are requested: the build may end
 * after the start, and the memory is left to requests. Texts are stored compressed only.
 */
export function createDocumentation(folder: string) {
  const respondWithFile = async (
    name: string,
    { accept, basePath }: DocsReader,
  ): Promise<Response | undefined> => {
    const file = await findFile(folder, name, basePath === '' && /\bbr\b/.test(accept))
    if (!file) return undefined
    const isPage = name.endsWith('.html')
    return new Response(file.isText ? below(basePath, file.body) : file.body, {
      headers: {
        ...(isPage ? await pageHeadersOf(folder) : { 'content-security-policy': filePolicy }),
        'content-type': CONTENT_TYPES[extname(name)] ?? 'application/octet-stream',
        'cache-control': HASHED_ASSET.test(name) ? IMMUTABLE : REVALIDATE,
        ...(file.isText && { vary: 'Accept-Encoding' }),
        ...(file.isCompressed && { 'content-encoding': 'br' }),
      },
    })
  }
  const respondWithFirst = async (names: readonly string[], reader: DocsReader) => {
    for (const name of names) {
      const response = await respondWithFile(name, reader)
      if (response) return response
    }
    return undefined
  }
  const respondWithoutFile = async (reader: DocsReader): Promise<Response> => {
    const page = await respondWithFile('404.html', reader)
    if (page) return new Response(page.body, { status: NOT_FOUND, headers: page.headers })
    return new Response(NOT_BUILT, { status: UNAVAILABLE, headers: { 'cache-control': 'no-store' } })
  }
  return async ({ request, basePath }: PlainRequest): Promise<Response | undefined> => {
    const { pathname } = parseRequestUrl(request.url)
    if (!READ_METHODS.has(request.method)) return undefined
    if (`${pathname}/` === ROOT)
      return new Response(null, { status: MOVED_PERMANENTLY, headers: { location: basePath + ROOT } })
    const reader = { accept: request.headers.get('accept-encoding') ?? '', basePath }
    const found = await respondWithFirst(namesOf(pathname), reader)
    if (found) return found
    return extname(pathname) === '' ? respondWithoutFile(reader) : undefined
  }
}

/** What decides how a file is served. */
interface DocsReader extends Pick<PlainRequest, 'basePath'> {
  readonly accept: string
}

const below = (basePath: string, body: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | string =>
  basePath === '' ? body : new TextDecoder().decode(body).replace(ROOT_ADDRESS, address => basePath + address)

/** The files that a path may stand for. Pages have no ending, and may have a slash at their end. */
function namesOf(pathname: string): readonly string[] {
  const path = pathname.slice(ROOT.length)
  if (!pathname.startsWith(ROOT) || !SAFE_PATH.test(path)) return []
  if (CONTENT_TYPES[extname(path)] !== undefined) return [path]
  const page = path.replace(/\/$/, '')
  return page === '' ? ['index.html'] : [`${page}.html`, `${page}/index.html`]
}

interface DocsFile {
  readonly body: Uint8Array<ArrayBuffer>
  readonly isText: boolean
  readonly isCompressed: boolean
}

async function findFile(folder: string, name: string, acceptsBrotli: boolean): Promise<DocsFile | undefined> {
  const compressed = await readIfPresent(join(folder, `${name}.br`))
  if (compressed && acceptsBrotli) return { body: compressed, isText: true, isCompressed: true }
  if (compressed)
    return { body: new Uint8Array(await decompress(compressed)), isText: true, isCompressed: false }
  const body = await readIfPresent(join(folder, name))
  return body && { body, isText: false, isCompressed: false }
}

/** The console's policy for a page whose only inline scripts are those of the site. */
async function pageHeadersOf(folder: string): Promise<Record<string, string>> {
  const hashes = await findFile(folder, 'script-hashes.json', false)
  const scriptHashes = hashes ? HASHES.parse(JSON.parse(new TextDecoder().decode(hashes.body))) : []
  return { ...pageHeaders({ scriptHashes, frames: [], forms: [], widgets: [] }), ...OPENER_POLICY }
}

async function readIfPresent(file: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return new Uint8Array(await readFile(file))
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'EISDIR'))
      return undefined
    throw error
  }
}
