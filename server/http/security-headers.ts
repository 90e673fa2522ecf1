/** What the console's pages may load and be loaded by. Only where the operator configured them do other sites appear. */
export interface PagePolicy {
  /** `sha256-…` of the scripts that stand inside the page. */
  readonly scriptHashes: readonly string[]
  /** Origins of the pages that the console frames. */
  readonly frames: readonly string[]
  /** Origins beside https that forms may be sent to. */
  readonly forms: readonly string[]
  /** Origins of sign-in widgets that are turned on. */
  readonly widgets: readonly string[]
}

export function pageHeaders({ scriptHashes, frames, forms, widgets }: PagePolicy): Record<string, string> {
  const scripts = ["'self'", ...scriptHashes.map(hash => `'${hash}'`), ...widgets]
  const policy = {
    'default-src': ["'self'"],
    'script-src': scripts,
    'style-src': ["'self'", "'unsafe-inline'"],
    'img-src': ["'self'", 'data:', 'blob:', 'https:'],
    'font-src': ["'self'", 'data:'],
    'media-src': ["'self'", 'https:'],
    'connect-src': ["'self'"],
    'frame-src': ["'self'", ...frames, ...widgets],
    'form-action': ["'self'", 'https:', ...forms],
    'base-uri': ["'self'"],
    'object-src': ["'none'"],
    'frame-ancestors': ["'none'"],
  }
  return {
    ...COMMON_HEADERS,
    [POLICY]: Object.entries(policy)
      .map(([name, sources]) => `${name} ${[...new Set(sources)].join(' ')}`)
      .join('; '),
  }
}

/** Sets headers, in place of those of the same names. */
export function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}

/** Answers that are no pages: nothing of them runs, and they are for whoever asked. A page's own policy stays. */
export const withAnswerHeaders = (response: Response): Response =>
  withHeaders(response, response.headers.has(POLICY) ? COMMON_HEADERS : ANSWER_HEADERS)

const POLICY = 'content-security-policy'

export const COMMON_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
} as const

const ANSWER_HEADERS = {
  ...COMMON_HEADERS,
  'cache-control': 'no-store',
  [POLICY]: "default-src 'none'; frame-ancestors 'none'",
}
