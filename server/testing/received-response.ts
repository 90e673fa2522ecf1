import { LargeJson } from '../core/json/large-json.ts'
import { StreamHttpResponse } from '../http-client/http1/http-response.ts'
import type { ReceivedResponse } from '../http-client/send.ts'
import type { UpstreamRequest } from '../provider-kit/contract/operation-adapter.ts'

/** An upstream response as `send` returns it, for fakes of `send`. */
export const receivedResponse = (
  response: Response,
  cancel: (reason?: unknown) => void = () => undefined,
): ReceivedResponse => ({ kind: 'response', response: new StreamHttpResponse(response, cancel) })

/** The body that an upstream receives, for fakes of `send`. */
export const receivedBody = (body: UpstreamRequest['body']): Exclude<UpstreamRequest['body'], LargeJson> =>
  body instanceof LargeJson ? body.toBytes() : body
