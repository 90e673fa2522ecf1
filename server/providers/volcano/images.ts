import { countOfPictures } from '../../provider-kit/images.ts'
import { failureReader } from '../../provider-kit/openai-compatible/dead-key-signs.ts'
import { openaiCompatibleImages, readImages } from '../../provider-kit/openai-compatible/images.ts'
import { bearerHeaders } from '../../provider-kit/openai-compatible/transport.ts'
import type { ImageEditsExchange } from '../../provider-kit/provider.ts'
import { refuse } from '../../provider-kit/refuse.ts'
import { sentFileUrl } from '../../provider-kit/sent-file-url.ts'
import { versionedUrl } from '../../provider-kit/versioned-url.ts'
import { deadKey } from './dead-key.ts'

const PATH = '/api/v3/images/generations'

/** Source: volcengine.com/docs/82379/1541523 */
export const images = openaiCompatibleImages({ path: PATH, drop: ['quality', 'style', 'user'], deadKey })

/** One address draws and redraws: the pictures to start from stand in the body. */
export const imageEdits: ImageEditsExchange = {
  request(call) {
    const { image, mask, size, prompt, response_format } = call.body
    if (mask) refuse('mask', 'a file', 'none for this vendor')
    const count = countOfPictures(call.body)
    if (count > 1) refuse('n', `${count} pictures`, '1 for this vendor')
    return {
      url: versionedUrl(call.channel.baseUrl, PATH),
      headers: bearerHeaders(call),
      body: JSON.stringify({
        model: call.model,
        prompt,
        size,
        response_format,
        image: image.map(sentFileUrl),
      }),
    }
  },
  reply: readImages,
  failure: failureReader(deadKey),
}
