/** What went wrong at an upstream, said so that the relay can decide without knowing the vendor. */
export interface Failure {
  /** The HTTP status to report; where the vendor hides an error in a 200, the status it means. */
  readonly status: number
  /** The vendor's own code or type where it has one, else a word of ours. */
  readonly code: string
  /** Without keys and addresses. */
  readonly message: string
  /** The vendor's error type, passed on to clients of the OpenAI dialect. */
  readonly type?: string | undefined
  readonly param?: string | undefined
  /** Whether another channel may succeed, where the answer says more about it than its status. */
  readonly isRetryable?: boolean | undefined
  /** The key itself is refused (revoked, unpaid, banned): reason to disable the channel. */
  readonly isKeyDead?: boolean | undefined
  /** The connection closed before an answer's headers came: an old one that the vendor had given up, or bad luck. */
  readonly isConnectionLost?: boolean | undefined
  /** Seconds the vendor asked to wait. */
  readonly retryAfterSeconds?: number | undefined
}
