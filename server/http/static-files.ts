import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { CONTENT_TYPES, filePolicy, IMMUTABLE, REVALIDATE } from '../api/page-headers.ts'
import { standalonePagePolicy } from './response-headers.ts'

const COMPRESSIBLE = new Set(['.html', '.js', '.css', '.json', '.webmanifest', '.svg', '.txt'])
/** Vite puts a hash of the content into these names, so the content of a name never changes. */
export const HASHED_FOLDER = '/assets/'

const INDEX = '/index.html'
const ROOT_LINK = /((?:href|src)=")\//g

/** A script or style runs under the policy of the page that loads it, so it needs none of its own. A page loads twenty. */
const HASHED_FILE_HEADERS = { 'cache-control': IMMUTABLE } as const

/** Files by path; each path begins with a slash. */
export type FileSet = ReadonlyMap<string, Uint8Array<ArrayBuffer>>

export interface StaticFiles {
  /** The response for a file, with a policy of its own; undefined when there is none. */
  find(path: string, acceptEncoding: string): Response | undefined
  /** The console's page below a base path. Undefined when the console has not been built. */
  index(acceptEncoding: string, basePath: string): Response | undefined
  /** `sha256-…` of the page's inline scripts. */
  readonly scriptHashes: readonly string[]
}

/** Reads a folder into memory. A missing folder gives an empty set. */
export function readFileSet(folder: string): FileSet {
  const names = readFolder(folder)
  return new Map(
    names.map(name => [`/${name.split(sep).join('/')}`, new Uint8Array(readFileSync(join(folder, name)))]),
  )
}

function readFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && !entry.parentPath.includes(`${sep}.`))
      .map(entry => relative(folder, join(entry.parentPath, entry.name)))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

export function createStaticFiles(files: FileSet): StaticFiles {
  const gzipped = new Map<string, Uint8Array<ArrayBuffer>>()
  const policies = new Map([...files].map(([path, content]) => [path, policyOf(path, content)]))
  const bodyOf = (path: string, plain: Uint8Array<ArrayBuffer>, acceptEncoding: string) => {
    const brotli = files.get(`${path}.br`)
    if (brotli && /\bbr\b/.test(acceptEncoding)) return encoded(brotli, 'br')
    if (!COMPRESSIBLE.has(extname(path)) || !/\bgzip\b/.test(acceptEncoding))
      return { body: plain, headers: {} }
    const body = gzipped.get(path) ?? Bun.gzipSync(plain)
    gzipped.set(path, body)
    return encoded(body, 'gzip')
  }
  const find = (path: string, acceptEncoding: string): Response | undefined => {
    const plain = files.get(path)
    if (!plain) return undefined
    const { body, headers } = bodyOf(path, plain, acceptEncoding)
    const type = CONTENT_TYPES[extname(path)] ?? 'application/octet-stream'
    const own = path.startsWith(HASHED_FOLDER)
      ? HASHED_FILE_HEADERS
      : { 'cache-control': REVALIDATE, 'content-security-policy': policies.get(path) ?? filePolicy }
    return new Response(body, { headers: { ...headers, 'content-type': type, ...own } })
  }
  const indexBelow = (basePath: string): string =>
    textOf(files.get(INDEX))
      .replace('<html', `<html data-base-path="${basePath}"`)
      .replace(ROOT_LINK, `$1${basePath}/`)
  return {
    find,
    index: (acceptEncoding, basePath) => {
      const page = find(INDEX, basePath === '' ? acceptEncoding : '')
      return page && basePath !== '' ? new Response(indexBelow(basePath), page) : page
    },
    scriptHashes: inlineHashes('script', files.get(INDEX)),
  }
}

const textOf = (file: Uint8Array | undefined): string => new TextDecoder().decode(file)

const encoded = (body: Uint8Array<ArrayBuffer>, encoding: 'br' | 'gzip') => ({
  body,
  headers: { 'content-encoding': encoding, vary: 'Accept-Encoding' },
})

function policyOf(path: string, content: Uint8Array): string {
  if (extname(path) !== '.html') return filePolicy
  return standalonePagePolicy(inlineHashes('script', content), inlineHashes('style', content))
}

/** The content security policy allows exactly the inline scripts and styles of a page. */
function inlineHashes(tag: 'script' | 'style', page: Uint8Array | undefined): readonly string[] {
  return [...textOf(page).matchAll(INLINE[tag])].map(
    ([, content = '']) => `sha256-${new Bun.CryptoHasher('sha256').update(content).digest('base64')}`,
  )
}

const INLINE = {
  script: /<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g,
  style: /<style[^>]*>([\s\S]*?)<\/style>/g,
}
