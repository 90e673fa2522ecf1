/** Content security policy of the console's pages. Other sites appear only where the operator configured them. */
export interface PagePolicy {
  /** `sha256-…` of the page's inline scripts. */
  readonly scriptHashes: readonly string[]
  /** Origins of pages that the console embeds in frames. */
  readonly frames: readonly string[]
  /** Origins without https that forms may be submitted to. */
  readonly forms: readonly string[]
  /** Origins of enabled sign-in widgets. */
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
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    [POLICY_HEADER]: Object.entries(policy)
      .map(([name, sources]) => `${name} ${[...new Set(sources)].join(' ')}`)
      .join('; '),
  }
}

/** Keeps windows of other sites from reaching the page. Sign-in popups that the page opens keep their opener. */
export const OPENER_POLICY = { 'cross-origin-opener-policy': 'same-origin-allow-popups' } as const

export const COMMON_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
} as const

export const POLICY_HEADER = 'content-security-policy'

/** Policy of a file that is not a page. It governs the requests of a service worker; browsers ignore it for other scripts. */
export const filePolicy = "default-src 'none'; connect-src 'self'; frame-ancestors 'none'"

/** The caching of a file whose name contains a hash of its content. */
export const IMMUTABLE = 'public, max-age=31536000, immutable'
export const REVALIDATE = 'no-cache'

export const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
}
