import { StreamHttpResponse } from '../relay/http1/http-response.ts'
import type { SentAnswer } from '../relay/upstream/send.ts'

/** What a `send` of tests gives for an upstream's answer. */
export const answerWith = (
  response: Response,
  cancel: (reason?: unknown) => void = () => undefined,
): SentAnswer => ({ kind: 'answer', response: new StreamHttpResponse(response, cancel) })
