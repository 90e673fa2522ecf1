import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import type { ClientError } from '../../provider-kit/contract/client-dialect.ts'

/** Source: cloud.google.com/apis/design/errors#handling_errors */
const WORD_OF_STATUS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}
const LEAST_SERVER_ERROR = 500

export const writeError = ({ status, message }: ClientError, requestId: string): JsonObject => ({
  error: {
    code: status,
    message: `${message} (request id: ${requestId})`,
    status: WORD_OF_STATUS[status] ?? (status < LEAST_SERVER_ERROR ? 'FAILED_PRECONDITION' : 'INTERNAL'),
  },
})
