import { imageCount } from '../../provider-kit/contract/operations.ts'
import type { ImagesAdapter } from '../../provider-kit/contract/provider.ts'
import { readEmbeddedFailure } from '../../provider-kit/failures.ts'
import { toAspectRatio } from '../../provider-kit/gemini-generate/imagen.ts'
import { asArray, asObject } from '../../provider-kit/json.ts'
import { bearerHeaders, openaiUrl } from '../../provider-kit/transport.ts'
import { readAnyFailure, readBaseFailure } from './failure.ts'

const textsIn = (list: unknown): readonly string[] => asArray(list).filter(item => typeof item === 'string')

/** Source: platform.minimaxi.com/document/image_generation */
export const images: ImagesAdapter = {
  request: call => ({
    url: openaiUrl(call.channel.baseUrl, '/v1/image_generation'),
    headers: bearerHeaders(call),
    body: JSON.stringify({
      model: call.model,
      prompt: call.body.prompt,
      n: imageCount(call.body),
      aspect_ratio: toAspectRatio(call.body.size),
      response_format: call.body.response_format === 'b64_json' ? 'base64' : 'url',
    }),
  }),
  reply(json) {
    const failure = readBaseFailure(asObject(json))
    const { image_urls, image_base64 } = asObject(asObject(json).data)
    const generated = [
      ...textsIn(image_urls).map(url => ({ url })),
      ...textsIn(image_base64).map(b64_json => ({ b64_json })),
    ]
    return failure || generated.length === 0
      ? { kind: 'failure', failure: failure ?? readEmbeddedFailure(json) }
      : { kind: 'reply', reply: { images: generated } }
  },
  failure: readAnyFailure,
}
