import type { FailureKind } from '../fault-plan.ts'
import type { LabProvider, ProviderError, RequestProblem } from '../operation.ts'

interface AnthropicError {
  readonly status: number
  readonly type: string
  readonly message: string
}

/** Source: platform.claude.com/docs/en/api/errors */
const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

const ERRORS: Readonly<Record<Exclude<FailureKind, 'status'>, AnthropicError>> = {
  'bad-request': { status: 400, type: 'invalid_request_error', message: 'The request is not valid.' },
  'missing-key': { status: 401, type: 'authentication_error', message: 'x-api-key header is required' },
  'dead-key': { status: 401, type: 'authentication_error', message: 'invalid x-api-key' },
  'no-money': {
    status: 400,
    type: 'invalid_request_error',
    message:
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
  },
  'rate-limit': {
    status: 429,
    type: 'rate_limit_error',
    message: 'This request would exceed your organization’s rate limit of 50 requests per minute.',
  },
  'context-length': {
    status: 400,
    type: 'invalid_request_error',
    message: 'prompt is too long: 209000 tokens > 200000 maximum',
  },
  'no-model': { status: 404, type: 'not_found_error', message: 'model not found' },
  overloaded: { status: 529, type: 'overloaded_error', message: 'Overloaded' },
}

function statusError(status: number): AnthropicError {
  const fallback = status < 500 ? 'invalid_request_error' : 'api_error'
  return {
    status,
    type: ERROR_TYPES[status] ?? fallback,
    message: `The lab returns status ${status} as requested.`,
  }
}

function providerError(kind: FailureKind, detail: Partial<RequestProblem>): ProviderError {
  const { status, type, message } = kind === 'status' ? statusError(detail.status ?? 500) : ERRORS[kind]
  const error = { type, message: detail.message ?? message }
  return { status, body: { type: 'error', error, request_id: 'req_lab' } }
}

export const anthropic: LabProvider = {
  key: request =>
    request.headers.get('x-api-key') ?? request.headers.get('authorization')?.replace(/^Bearer\s*/i, ''),
  headerProblem: request =>
    request.headers.has('anthropic-version') ? undefined : 'anthropic-version: header is required',
  error: providerError,
  errorFrame: providerError => `event: error\ndata: ${JSON.stringify(providerError.body)}\n\n`,
}
