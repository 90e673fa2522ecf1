import { NO_USAGE, type Usage } from '../../core/usage.ts'
import type { Replied } from '../exchange.ts'
import type { ImageEditsBody, ImagesBody, ImagesReply } from '../images.ts'
import { countOf, isObject, objectOf, textOf } from '../json.ts'
import type { ImageEditsExchange, ImagesExchange } from '../provider.ts'
import { readHiddenFailure } from '../read-failure.ts'
import { failureReader } from './dead-key-signs.ts'
import { type EndpointDifferences, formRequest, jsonRequest } from './endpoint.ts'
import { openEventWatch } from './event-watch.ts'

/** Pictures for vendors that follow OpenAI. Source: platform.openai.com/docs/api-reference/images */
export function openaiCompatibleImages(vendor: EndpointDifferences<ImagesBody> = {}): ImagesExchange {
  return {
    request: call => jsonRequest(call, '/v1/images/generations', vendor),
    ...reading,
    ...(vendor.deadKey && { failure: failureReader(vendor.deadKey) }),
  }
}

export function openaiCompatibleImageEdits(
  vendor: EndpointDifferences<ImageEditsBody> = {},
): ImageEditsExchange {
  return {
    request: call => formRequest(call, '/v1/images/edits', vendor),
    ...reading,
    ...(vendor.deadKey && { failure: failureReader(vendor.deadKey) }),
  }
}

const reading = {
  answerKind: (_: unknown, contentType: string) =>
    contentType.includes('event-stream') ? ('passed' as const) : ('json' as const),
  reply: readImages,
  /** Several unfinished pictures, then the last with the usage. */
  stream: () =>
    openEventWatch({
      isLast: ({ type }) => textOf(type)?.endsWith('.completed') === true,
      usageOf: ({ usage }) => readImageUsage(usage),
    }),
}

export function readImages(json: unknown): Replied<ImagesReply> {
  if (!isObject(json) || json.error || !Array.isArray(json.data))
    return { kind: 'failure', failure: readHiddenFailure(json) }
  const { created, data, usage, ...extra } = json
  const pictures = data.filter(isObject).filter(({ url, b64_json }) => url || b64_json)
  if (pictures.length === 0) return { kind: 'failure', failure: readHiddenFailure(json) }
  return {
    kind: 'reply',
    reply: {
      created: countOf(created) || undefined,
      pictures,
      extra: isObject(usage) ? { ...extra, usage } : extra,
    },
    usage: readImageUsage(usage),
  }
}

/** Undefined where no tokens are counted: then the pictures themselves are. */
function readImageUsage(json: unknown): Usage | undefined {
  const usage = objectOf(json)
  const output = countOf(usage.output_tokens)
  const input = countOf(usage.input_tokens)
  const imageInput = Math.min(countOf(objectOf(usage.input_tokens_details).image_tokens), input)
  return input + output === 0 ? undefined : { ...NO_USAGE, input: input - imageInput, imageInput, output }
}
