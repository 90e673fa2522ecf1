import type { JsonObject } from './chat.ts'
import type { ClientError } from './client-dialect.ts'

/** The type of errors that the gateway itself makes. */
const OWN_ERROR_TYPE = 'tollgate_error'

/** Source: platform.openai.com/docs/guides/error-codes */
export const openaiError = (error: ClientError, requestId: string): JsonObject => ({
  error: {
    message: `${error.message} (request id: ${requestId})`,
    type: error.type ?? OWN_ERROR_TYPE,
    param: error.param ?? '',
    code: error.code,
  },
})
