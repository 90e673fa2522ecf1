import { StreamHttpResponse } from '../relay/http1/http-response.ts'
import type { ReceivedResponse } from '../relay/upstream/send.ts'

/** What a `send` of tests gives for an upstream's answer. */
export const receivedResponse = (
  response: Response,
  cancel: (reason?: unknown) => void = () => undefined,
): ReceivedResponse => ({ kind: 'response', response: new StreamHttpResponse(response, cancel) })
