/** Only path and query of a request URL are used, so that any host that a client sends will do. */
const ANY_HOST = 'http://gateway'

/** Parses the path and the query of a request URL. Its host, which the client chooses, may be invalid and is ignored. */
export function parseRequestUrl(url: string): URL {
  const start = url.indexOf('/', url.indexOf('//') + 2)
  return new URL(`${ANY_HOST}${start < 0 ? '/' : url.slice(start)}`)
}
