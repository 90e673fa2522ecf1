import type { Usage } from '../../core/usage.ts'
import type { JsonObject } from '../../provider-kit/chat.ts'
import type { ImagesReply } from '../../provider-kit/images.ts'

/** Source: platform.openai.com/docs/api-reference/images/object */
export const writeImagesReply = ({ created, pictures, extra }: ImagesReply, _: Usage): JsonObject => ({
  ...(created !== undefined && { created }),
  data: pictures,
  ...extra,
})
