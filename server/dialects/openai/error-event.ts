import type { ClientError } from '../../provider-kit/client-dialect.ts'
import { openaiError } from '../../provider-kit/openai-error.ts'

/** An error inside a stream. No end mark follows it. */
export const errorEvent = (error: ClientError, requestId: string): string =>
  `data: ${JSON.stringify(openaiError(error, requestId))}\n\n`
