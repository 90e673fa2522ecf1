import { type BothLanguages, type LocalizedMessage, ownMessage, sameInBoth, textsOf } from './language.ts'

/** HTTP status of every error code. One table, so that a code means the same everywhere. */
const STATUS_BY_CODE = {
  invalid_json: 400,
  invalid_request: 400,
  invalid_channel_id: 400,
  invalid_encrypted_content: 400,
  response_too_large: 400,
  context_length_exceeded: 400,
  model_required: 400,
  access_token_not_supported: 400,
  sensitive_words_detected: 400,
  unauthenticated: 401,
  invalid_api_key: 401,
  token_disabled: 401,
  token_expired: 401,
  token_exhausted: 401,
  insufficient_user_quota: 403,
  insufficient_token_quota: 403,
  user_banned: 403,
  ip_not_allowed: 403,
  group_not_allowed: 403,
  model_not_allowed: 403,
  channel_choice_not_allowed: 403,
  channel_disabled: 403,
  permission_denied: 403,
  model_not_found: 404,
  model_price_missing: 404,
  previous_response_not_found: 404,
  not_found: 404,
  method_not_allowed: 405,
  body_too_large: 413,
  unsupported_media_type: 415,
  too_many_requests: 429,
  budget_exceeded: 429,
  client_closed_request: 499,
  internal_error: 500,
  api_not_implemented: 501,
  upstream_failed: 502,
  upstream_bad_answer: 502,
  no_available_channel: 503,
  server_busy: 503,
  shutting_down: 503,
  storage_failed: 503,
  upstream_timeout: 504,
} as const satisfies Record<string, number>

export type ErrorCode = keyof typeof STATUS_BY_CODE

/** A standby is found within two seconds of its promotion. */
export const STORAGE_RETRY_SECONDS = 2

/** What a rule of a budget puts in the place of a model. `budget`: its name in receipts. */
export interface ModelBend extends Readonly<Record<'budget' | 'from' | 'to', string>> {
  readonly budgetId: number
  readonly percent: number
  /** What it lowers the effort to, and from which one that the client states. The model may stay. */
  readonly effort?: { readonly from?: string | undefined; readonly to: 'low' | 'medium' | 'high' } | undefined
}

interface GatewayErrorOptions {
  readonly bend?: ModelBend | undefined
  readonly budgetOf?: GatewayError['budgetOf']
  readonly cause?: unknown
  readonly status?: number
  readonly retryAfterSeconds?: number | undefined
}

/**
 * An error that the client sees, rendered in the client's dialect and language. The text states what was found and what
 * was needed; it never contains a secret or an upstream address. `message` is the English one, for logs.
 */
export class GatewayError extends Error implements LocalizedMessage {
  override readonly name = 'GatewayError'
  readonly code: ErrorCode
  readonly status: number
  readonly messageZh: string
  /** Set where it is known when a retry can succeed. */
  readonly retryAfterSeconds: number | undefined
  /** Set where the request is to be tried with another model instead. */
  readonly bend: ModelBend | undefined
  /** Set where a budget rejects the request: whose it is, such as those of a `user`. */
  readonly budgetOf: { readonly kind: string; readonly id: number } | undefined

  constructor(code: ErrorCode, text: BothLanguages, options: GatewayErrorOptions = {}) {
    const { message, messageZh } = ownMessage(text)
    super(message, { cause: options.cause })
    this.code = code
    this.messageZh = messageZh
    this.bend = options.bend
    this.budgetOf = options.budgetOf
    this.status = options.status ?? STATUS_BY_CODE[code]
    this.retryAfterSeconds =
      options.retryAfterSeconds ?? (code === 'storage_failed' ? STORAGE_RETRY_SECONDS : undefined)
  }
}

/** The message of a thrown value of any type. */
export const errorMessage = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown)

/** Both languages of a thrown value of any type. */
export const errorTexts = (thrown: unknown): BothLanguages =>
  thrown instanceof GatewayError ? textsOf(thrown) : sameInBoth(errorMessage(thrown))
