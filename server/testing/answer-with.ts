import type { SentAnswer } from '../relay/send.ts'
import { FetchedResponse } from '../relay/wire/fetched-response.ts'

/** What a `send` of tests gives for an upstream's answer. */
export const answerWith = (
  response: Response,
  cancel: (reason?: unknown) => void = () => undefined,
): SentAnswer => ({ kind: 'answer', response: new FetchedResponse(response, cancel) })
