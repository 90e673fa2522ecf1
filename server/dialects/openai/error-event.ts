import { type ClientError, toOpenaiError } from '../../provider-kit/contract/client-dialect.ts'

/** An error inside a stream. No end mark follows it. */
export const errorEvent = (error: ClientError, requestId: string): string =>
  `data: ${JSON.stringify(toOpenaiError(error, requestId))}\n\n`
