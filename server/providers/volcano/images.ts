import { formFileToDataUrl, imageCount } from '../../provider-kit/contract/operations.ts'
import type { ImageEditsAdapter } from '../../provider-kit/contract/provider.ts'
import { createFailureReader } from '../../provider-kit/failures.ts'
import { openaiCompatibleImages, readImages } from '../../provider-kit/openai-compatible/media.ts'
import { bearerHeaders, versionedUrl } from '../../provider-kit/transport.ts'
import { invalidRequest } from '../../provider-kit/validation.ts'
import { revokedKey } from './dead-key.ts'

const PATH = '/api/v3/images/generations'

/** Source: volcengine.com/docs/82379/1541523 */
export const images = openaiCompatibleImages({ path: PATH, drop: ['quality', 'style', 'user'], revokedKey })

/** One address draws and redraws: the pictures to start from stand in the body. */
export const imageEdits: ImageEditsAdapter = {
  request(call) {
    const { image, mask, size, prompt, response_format } = call.body
    if (mask) invalidRequest('mask', 'a file', 'none for this vendor')
    const count = imageCount(call.body)
    if (count > 1) invalidRequest('n', `${count} pictures`, '1 for this vendor')
    return {
      url: versionedUrl(call.channel.baseUrl, PATH),
      headers: bearerHeaders(call),
      body: JSON.stringify({
        model: call.model,
        prompt,
        size,
        response_format,
        image: image.map(formFileToDataUrl),
      }),
    }
  },
  reply: readImages,
  failure: createFailureReader(revokedKey),
}
