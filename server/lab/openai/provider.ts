import type { FailureKind } from '../fault-plan.ts'
import { FAULT_MODELS, OPENAI_MODELS } from '../offered-models.ts'
import {
  fixedOperation,
  type LabOperation,
  type LabProvider,
  type ProviderError,
  type RequestProblem,
} from '../operation.ts'

/** The creation time of every object, in Unix seconds. It is fixed, so that equal requests get equal bytes. */
export const CREATED_SECONDS = 1_751_300_000

interface OpenAiError {
  readonly status: number
  readonly message: string
  readonly type: string
  readonly param?: string
  readonly code: string | null
}

const BAD_REQUEST = {
  status: 400,
  message: 'The request is not valid.',
  type: 'invalid_request_error',
  code: null,
}

/** Source: platform.openai.com/docs/guides/error-codes */
const ERRORS: Readonly<Record<Exclude<FailureKind, 'status'>, OpenAiError>> = {
  'bad-request': BAD_REQUEST,
  'missing-key': {
    status: 401,
    message:
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth.",
    type: 'invalid_request_error',
    code: null,
  },
  'dead-key': {
    status: 401,
    message: 'Incorrect API key provided: lab-*******key.',
    type: 'invalid_request_error',
    code: 'invalid_api_key',
  },
  'no-money': {
    status: 429,
    message: 'You exceeded your current quota, please check your plan and billing details.',
    type: 'insufficient_quota',
    code: 'insufficient_quota',
  },
  'rate-limit': {
    status: 429,
    message: 'Rate limit reached for lab in organization org-lab on tokens per min (TPM).',
    type: 'tokens',
    code: 'rate_limit_exceeded',
  },
  'context-length': {
    status: 400,
    message:
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    type: 'invalid_request_error',
    param: 'messages',
    code: 'context_length_exceeded',
  },
  'no-model': {
    status: 404,
    message: 'The model does not exist or you do not have access to it.',
    type: 'invalid_request_error',
    code: 'model_not_found',
  },
  overloaded: {
    status: 503,
    message: 'The engine is currently overloaded, please try again later.',
    type: 'server_error',
    code: null,
  },
}

function statusError(status: number): OpenAiError {
  const type = status < 500 ? 'invalid_request_error' : 'server_error'
  return { status, message: `The lab returns status ${status} as requested.`, type, code: null }
}

function providerError(kind: FailureKind, detail: Partial<RequestProblem>): ProviderError {
  const error = kind === 'status' ? statusError(detail.status ?? BAD_REQUEST.status) : ERRORS[kind]
  const { status, message, type, param = null, code } = { ...error, ...detail }
  return { status, body: { error: { message, type, param, code } } }
}

export const openai: LabProvider = {
  key: request => request.headers.get('authorization')?.replace(/^Bearer\s*/i, ''),
  error: providerError,
  errorFrame: providerError => `data: ${JSON.stringify(providerError.body)}\n\n`,
}

const HARD_LIMIT_DOLLARS = 120
const SPENT_CENTS = 1234.5

const toModel = (id: string) => ({ id, object: 'model', created: CREATED_SECONDS, owned_by: 'lab' })

/** The model list, and the billing endpoints that resellers of this format serve. */
export const account: readonly LabOperation[] = [
  fixedOperation(openai, /\/(?:v1|v1beta\/openai)\/models$/, () => ({
    object: 'list',
    data: [...OPENAI_MODELS, ...FAULT_MODELS].map(toModel),
  })),
  fixedOperation(openai, /\/v1\/models\/([^/:]+)$/, toModel),
  fixedOperation(openai, /\/v1\/dashboard\/billing\/subscription$/, () => ({
    object: 'billing_subscription',
    has_payment_method: true,
    soft_limit_usd: HARD_LIMIT_DOLLARS,
    hard_limit_usd: HARD_LIMIT_DOLLARS,
    system_hard_limit_usd: HARD_LIMIT_DOLLARS,
    access_until: CREATED_SECONDS,
  })),
  fixedOperation(openai, /\/v1\/dashboard\/billing\/usage$/, () => ({
    object: 'list',
    total_usage: SPENT_CENTS,
  })),
]
