import type { Failure, ResponseHeaders, StreamEvent } from '../../provider-kit/contract/operation-adapter.ts'
import { maskSecrets, readFailure } from '../../provider-kit/failures.ts'
import { asObject, asString, parseJson } from '../../provider-kit/json.ts'

/** The status that an exception inside a stream means. Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ResponseStream.html */
const STATUS_OF: Readonly<Record<string, number>> = {
  throttlingexception: 429,
  validationexception: 400,
  modeltimeoutexception: 408,
  modelstreamerrorexception: 424,
  internalserverexception: 500,
  serviceunavailableexception: 503,
}
const STATUS_UNKNOWN = 502
const DEAD_KEY_SIGNS: ReadonlySet<string> = new Set([
  'UnrecognizedClientException',
  'InvalidSignatureException',
  'ExpiredTokenException',
])

/** The kind of error stands in a header. A signature may also be refused for the clock, which is not the key's fault. */
export function readBedrockFailure(status: number, body: string, headers: ResponseHeaders): Failure {
  const failure = readFailure(status, body, headers)
  const kind = headers.get('x-amzn-errortype')?.split(':')[0]
  const message = asString(asObject(parseJson(body)).Message)
  const text = message ? maskSecrets(message) : failure.message
  return {
    ...failure,
    code: kind ?? failure.code,
    message: text,
    isKeyRevoked: DEAD_KEY_SIGNS.has(kind ?? '') && !/expired|current time/i.test(text),
  }
}

/** An exception inside a stream that began well. */
export function readException({ name = '', data }: StreamEvent): Failure {
  const message = asString(asObject(parseJson(data)).message)
  return {
    status: STATUS_OF[name.toLowerCase()] ?? STATUS_UNKNOWN,
    code: name || 'upstream_bad_answer',
    type: 'upstream_error',
    message: maskSecrets(message || `the stream ended with ${name || 'an event without a name'}`),
  }
}
