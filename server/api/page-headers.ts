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
