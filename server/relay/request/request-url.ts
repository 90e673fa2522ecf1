/** Where a request is addressed to, as `URL` reads it. */
export interface RequestAddress {
  readonly pathname: string
  /** With its question mark; empty when there is none. */
  readonly search: string
  readonly searchParams: URLSearchParams
}

/** Letters that stand for themselves, no part that begins with a dot, no query: `URL` would change nothing of it. */
const PLAIN_PATH = /^(?:\/[\w:~-][\w:~.-]*)+\/?$/
const NOTHING_ASKED = new URLSearchParams()

/** Whatever a client calls our host, it is asked for the path. */
const ANY_HOST = 'http://gateway'

/** Nearly all addresses are plain, and `URL` is for those that are not. Of the host nothing is read: clients may name any. */
export function requestAddress(url: string): RequestAddress {
  const start = url.indexOf('/', url.indexOf('//') + 2)
  const pathname = start < 0 ? '/' : url.slice(start)
  return PLAIN_PATH.test(pathname)
    ? { pathname, search: '', searchParams: NOTHING_ASKED }
    : new URL(`${ANY_HOST}${pathname}`)
}
