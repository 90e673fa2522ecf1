/** Only path and query of a request URL are used, so that any host that a client sends will do. */
const ANY_HOST = 'http://gateway'

/** Parses the path and the query of a request URL. Its host, which the client chooses, may be invalid and is ignored. */
export function parseRequestUrl(url: string): URL {
  const start = url.indexOf('/', url.indexOf('//') + 2)
  return new URL(`${ANY_HOST}${start < 0 ? '/' : url.slice(start)}`)
}

/**
 * The request as it is below the base path, which some proxies pass on and others remove. It keeps its body, its headers and
 * its signal.
 */
export function withoutBasePath(request: Request, basePath: string): Request {
  const start = request.url.indexOf('/', request.url.indexOf('//') + 2)
  const path = request.url.slice(start)
  if (basePath === '' || !path.startsWith(basePath)) return request
  const rest = path.slice(basePath.length)
  if (rest !== '' && !/^[/?]/.test(rest)) return request
  return new Request(`${request.url.slice(0, start)}${rest.replace(/^(?!\/)/, '/')}`, request)
}

const PLAIN_PATH = /^(\/[a-z0-9._~-]+)*\/?$/
const UNRESERVED = /%(2d|2e|3[0-9]|4[1-9a-f]|5[0-9a]|5f|6[1-9a-f]|7[0-9ae])/gi

/**
 * The path by which a request is assigned to a part of the gateway: without repeated slashes, needless escapes and upper
 * case, so that no spelling of a path escapes its rules. What the part does with the original path is its own matter.
 */
export function routingPath(path: string): string {
  if (PLAIN_PATH.test(path)) return path
  const decoded = path.replace(UNRESERVED, octet => decodeURIComponent(octet))
  return new URL(`${ANY_HOST}/${decoded.replace(/[\\/]+/g, '/').replace(/^\//, '')}`).pathname.toLowerCase()
}
