import type { FailureKind } from '../fault-plan.ts'
import type { LabProvider, ProviderError, RequestProblem } from '../operation.ts'

interface GeminiError {
  readonly code: number
  readonly message: string
  readonly status: string
  readonly details?: readonly unknown[]
}

/** Source: ai.google.dev/gemini-api/docs/troubleshooting and cloud.google.com/apis/design/errors */
const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

const KEY_INVALID: GeminiError = {
  code: 400,
  message: 'API key not valid. Please pass a valid API key.',
  status: 'INVALID_ARGUMENT',
  details: [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'API_KEY_INVALID',
      domain: 'googleapis.com',
      metadata: { service: 'generativelanguage.googleapis.com' },
    },
  ],
}

const exhausted = (message: string): GeminiError => ({
  code: 429,
  message,
  status: 'RESOURCE_EXHAUSTED',
  details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '2s' }],
})

const ERRORS: Readonly<Record<Exclude<FailureKind, 'status'>, GeminiError>> = {
  'bad-request': { code: 400, message: 'The request is not valid.', status: 'INVALID_ARGUMENT' },
  'missing-key': {
    code: 403,
    message:
      'Method doesn’t allow unregistered callers. Please use API Key or other form of API consumer identity.',
    status: 'PERMISSION_DENIED',
  },
  'dead-key': KEY_INVALID,
  'no-money': exhausted('You exceeded your current quota, please check your plan and billing details.'),
  'rate-limit': exhausted('Resource has been exhausted (e.g. check quota).'),
  'context-length': {
    code: 400,
    message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    status: 'INVALID_ARGUMENT',
  },
  'no-model': {
    code: 404,
    message: 'The model is not found for API version v1beta, or is not supported for generateContent.',
    status: 'NOT_FOUND',
  },
  overloaded: {
    code: 503,
    message: 'The model is overloaded. Please try again later.',
    status: 'UNAVAILABLE',
  },
}

const statusError = (code: number): GeminiError => ({
  code,
  message: `The lab returns status ${code} as requested.`,
  status: STATUS_NAMES[code] ?? 'UNKNOWN',
})

function providerError(kind: FailureKind, detail: Partial<RequestProblem>): ProviderError {
  const error = kind === 'status' ? statusError(detail.status ?? 500) : ERRORS[kind]
  return { status: error.code, body: { error: { ...error, message: detail.message ?? error.message } } }
}

export const gemini: LabProvider = {
  key: request =>
    request.headers.get('x-goog-api-key') ?? new URL(request.url).searchParams.get('key') ?? undefined,
  error: providerError,
  errorFrame: providerError => `data: ${JSON.stringify(providerError.body)}\r\n\r\n`,
}
