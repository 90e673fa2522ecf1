import type { JsonObject } from '../../provider-kit/chat.ts'
import type { ClientError } from '../../provider-kit/client-dialect.ts'

/** The type of errors that the gateway itself makes. */
export const OWN_ERROR_TYPE = 'tollgate_error'

/** Source: platform.openai.com/docs/guides/error-codes */
export const writeError = (error: ClientError, requestId: string): JsonObject => ({
  error: {
    message: `${error.message} (request id: ${requestId})`,
    type: error.type ?? OWN_ERROR_TYPE,
    param: error.param ?? '',
    code: error.code,
  },
})

/** An error inside a stream. No end mark follows it. */
export const writeErrorEvent = (error: ClientError, requestId: string): string =>
  `data: ${JSON.stringify(writeError(error, requestId))}\n\n`
