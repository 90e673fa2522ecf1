import { sendForm, uploadImages } from '../../provider-kit/chat-request.ts'
import type { ChatBody } from '../../provider-kit/contract/chat.ts'
import type { PrepareContext, ProviderIo } from '../../provider-kit/contract/operation-adapter.ts'
import { upstreamFailed } from '../../provider-kit/failures.ts'
import { asObject, asString } from '../../provider-kit/json.ts'
import { userOf } from './to-body.ts'

/** Pictures are uploaded in the name of the user who asks. Source: docs.dify.ai/api-reference/files/file-upload */
export const uploadToDify = (order: PrepareContext<ChatBody>, io: ProviderIo): Promise<ChatBody> =>
  uploadImages(order.body, async picture => {
    const { channel } = order
    const fields = { file: picture, user: userOf(order) }
    const { status, json } = await sendForm(
      { channel, url: `${channel.baseUrl}/v1/files/upload`, fields },
      io,
    )
    return asString(asObject(json).id) ?? upstreamFailed('did not take a picture', { status, json })
  })
