import { toAspectRatio } from '../../provider-kit/gemini-generate/aspect-ratio.ts'
import { countOfPictures } from '../../provider-kit/images.ts'
import { listOf, objectOf } from '../../provider-kit/json.ts'
import { bearerHeaders, openaiUrl } from '../../provider-kit/openai-compatible/transport.ts'
import type { ImagesExchange } from '../../provider-kit/provider.ts'
import { readHiddenFailure } from '../../provider-kit/read-failure.ts'
import { readAnyFailure, readBaseFailure } from './failure.ts'

const textsIn = (list: unknown): readonly string[] => listOf(list).filter(item => typeof item === 'string')

/** Source: platform.minimaxi.com/document/image_generation */
export const images: ImagesExchange = {
  request: call => ({
    url: openaiUrl(call.channel.baseUrl, '/v1/image_generation'),
    headers: bearerHeaders(call),
    body: JSON.stringify({
      model: call.model,
      prompt: call.body.prompt,
      n: countOfPictures(call.body),
      aspect_ratio: toAspectRatio(call.body.size),
      response_format: call.body.response_format === 'b64_json' ? 'base64' : 'url',
    }),
  }),
  reply(json) {
    const failure = readBaseFailure(objectOf(json))
    const { image_urls, image_base64 } = objectOf(objectOf(json).data)
    const pictures = [
      ...textsIn(image_urls).map(url => ({ url })),
      ...textsIn(image_base64).map(b64_json => ({ b64_json })),
    ]
    return failure || pictures.length === 0
      ? { kind: 'failure', failure: failure ?? readHiddenFailure(json) }
      : { kind: 'reply', reply: { pictures } }
  },
  failure: readAnyFailure,
}
