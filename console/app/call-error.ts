import { textOf } from '../ui/text.ts'
import { appText } from './app-text.ts'

export type CallFailure = 'refused' | 'status' | 'expired' | 'offline' | 'timeout' | 'unreadable'

/** A call that gave no answer. `expired` is already dealt with: the sign-in page opens. */
export class CallError extends Error {
  override readonly name = 'CallError'
  readonly failure: CallFailure
  /** HTTP status; 0 when there was no answer. */
  readonly status: number
  /** The server's stable code for machines. */
  readonly code: string | undefined
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(
    failure: CallFailure,
    message: string,
    details: {
      status?: number
      code?: string | undefined
      requestId?: string | undefined
      retryAfterSeconds?: number | undefined
    } = {},
  ) {
    super(message)
    this.failure = failure
    this.status = details.status ?? 0
    this.code = details.code
    this.requestId = details.requestId
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}

const t = textOf(appText)

/** The sentence for people, with the prefix of the specification. */
export function errorText(error: unknown): string {
  if (!(error instanceof CallError))
    return t('errorPrefix', { message: error instanceof Error ? error.message : String(error) })
  if (error.failure === 'offline') return t('unreachable')
  if (error.failure === 'timeout') return t('timeout')
  if (error.failure === 'unreadable') return t('unreadable')
  if (error.failure === 'expired') return t('loginExpired')
  return statusText(error.status) ?? t('errorPrefix', { message: error.message })
}

/** A message of the server as it came, without a prefix: for the place beside the fields. */
export function plainErrorText(error: unknown): string {
  return error instanceof CallError && error.failure === 'refused' ? error.message : errorText(error)
}

function statusText(status: number): string | undefined {
  if (status === 429) return t('tooManyRequests')
  if (status === 500) return t('serverError')
  if (status === 405) return t('demoOnly')
  return undefined
}
