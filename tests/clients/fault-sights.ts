export const LAB_PROVIDERS = ['openai', 'anthropic', 'gemini'] as const
export type LabProviderName = (typeof LAB_PROVIDERS)[number]

/**
 * Outcome of a fault for a client. `served`: the complete response, charged. A number: an error with this status, not
 * charged. `broken`: a response that ends with an error, charged for what was delivered.
 */
export type Sight = 'served' | 'broken' | number
export type Sights = Sight | Readonly<Record<LabProviderName, Sight>>

const UNREADABLE = 502
const both = (sights: Sights) => ({ jsonResponse: sights, stream: sights })
/** A fault that only shortens a stream leaves an unreadable half of a JSON response. */
const CUT = { jsonResponse: UNREADABLE, stream: 'broken' } as const

export const faultSights: Readonly<
  Record<string, { readonly jsonResponse: Sights; readonly stream: Sights }>
> = {
  tokens: both('served'),
  reasoning: both('served'),
  cached: both('served'),
  'cache-write': both('served'),
  tools: both('served'),
  decline: both('served'),
  interleaved: both('served'),
  lenient: both('served'),
  huge: both('served'),
  'no-usage': both('served'),
  'zero-usage': both('served'),
  'slow-headers-50': both('served'),
  'first-token-50': both('served'),
  'pace-1': both('served'),
  'drip-7': both('served'),
  'retry-after': both('served'),
  'wrong-type': both('served'),
  'json-for-stream': both('served'),
  'stream-for-json': both('served'),
  'no-end-mark': both('served'),

  'status-301': both(UNREADABLE),
  'status-304': both(UNREADABLE),
  'status-400': both(400),
  'status-403': both(403),
  'status-404': both(404),
  'status-418': both(418),
  'status-429': both(429),
  'status-500': both(500),
  'status-503': both(503),
  'status-529': both(529),
  'hidden-error': both(500),
  html: both(502),
  'dead-key': both({ openai: 401, anthropic: 401, gemini: 400 }),
  'no-money': both({ openai: 429, anthropic: 400, gemini: 429 }),
  'rate-limit': both(429),
  'context-length': both(400),
  'no-model': both(404),
  overloaded: both({ openai: 503, anthropic: 529, gemini: 503 }),
  empty: both(UNREADABLE),
  garbage: both(UNREADABLE),
  reset: both(UNREADABLE),
  'error-event-0': { jsonResponse: UNREADABLE, stream: 500 },

  cut: CUT,
  'half-event': CUT,
  'no-finish': CUT,
  'error-event': CUT,
  'broken-event': CUT,
}
