import type { Usage } from '../../core/usage.ts'
import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import type { ImagesReply } from '../../provider-kit/contract/operations.ts'

/** Source: platform.openai.com/docs/api-reference/images/object */
export const writeImagesReply = ({ created, images, extra }: ImagesReply, _: Usage): JsonObject => ({
  ...(created !== undefined && { created }),
  data: images,
  ...extra,
})
