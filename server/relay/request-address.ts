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

/** Nearly all addresses are plain, and `URL` is for those that are not. Throws TypeError for what is no absolute address. */
export function requestAddress(url: string): RequestAddress {
  const pathname = url.slice(url.indexOf('/', url.indexOf('//') + 2))
  return PLAIN_PATH.test(pathname) ? { pathname, search: '', searchParams: NOTHING_ASKED } : new URL(url)
}
