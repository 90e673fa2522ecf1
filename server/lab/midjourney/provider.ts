import type { FailureKind } from '../fault-plan.ts'
import type { LabProvider, ProviderError } from '../operation.ts'

const MESSAGES: Readonly<Record<FailureKind, readonly [status: number, description: string]>> = {
  status: [500, 'The lab returns this status as requested.'],
  'bad-request': [400, '校验错误'],
  'missing-key': [401, 'mj-api-secret is missing'],
  'dead-key': [401, 'mj-api-secret is wrong'],
  'no-money': [402, 'the account is out of credit'],
  'rate-limit': [429, 'too many requests'],
  'context-length': [400, 'the prompt is too long'],
  'no-model': [404, 'unknown path'],
  overloaded: [503, 'no account is available'],
}
const CODE = 9

function providerError(
  kind: FailureKind,
  detail: { readonly status?: number; readonly message?: string },
): ProviderError {
  const [status, description] = MESSAGES[kind]
  return { status: detail.status ?? status, body: { code: CODE, description: detail.message ?? description } }
}

/** Source: github.com/novicezk/midjourney-proxy, docs/api.md */
export const midjourney: LabProvider = {
  key: request =>
    request.headers.get('mj-api-secret') ?? request.headers.get('authorization')?.replace(/^Bearer\s*/i, ''),
  error: providerError,
  errorFrame: providerError => `data: ${JSON.stringify(providerError.body)}\n\n`,
}
