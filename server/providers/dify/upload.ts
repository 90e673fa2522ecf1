import type { ChatBody } from '../../provider-kit/chat.ts'
import type { Preparing, ProviderIo } from '../../provider-kit/exchange.ts'
import { objectOf, textOf } from '../../provider-kit/json.ts'
import { sendForm, uploadPictures } from '../../provider-kit/upload-pictures.ts'
import { upstreamFailed } from '../../provider-kit/upstream-failed.ts'
import { userOf } from './to-body.ts'

/** Pictures are uploaded in the name of the user who asks. Source: docs.dify.ai/api-reference/files/file-upload */
export const uploadToDify = (order: Preparing<ChatBody>, io: ProviderIo): Promise<ChatBody> =>
  uploadPictures(order.body, async picture => {
    const { channel } = order
    const fields = { file: picture, user: userOf(order) }
    const { status, json } = await sendForm(
      { channel, url: `${channel.baseUrl}/v1/files/upload`, fields },
      io,
    )
    return textOf(objectOf(json).id) ?? upstreamFailed('did not take a picture', { status, json })
  })
