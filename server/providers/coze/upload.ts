import { sendForm, uploadImages } from '../../provider-kit/chat-request.ts'
import type { ChatBody } from '../../provider-kit/contract/chat.ts'
import type { PrepareContext, ProviderIo } from '../../provider-kit/contract/operation-adapter.ts'
import { upstreamFailed } from '../../provider-kit/failures.ts'
import { asObject, asString } from '../../provider-kit/json.ts'

/** Source: coze.com/docs/developer_guides/upload_files */
export const uploadToCoze = (
  { body, channel }: PrepareContext<ChatBody>,
  io: ProviderIo,
): Promise<ChatBody> =>
  uploadImages(body, async file => {
    const { status, json } = await sendForm(
      { channel, url: `${channel.baseUrl}/v1/files/upload`, fields: { file } },
      io,
    )
    return (
      asString(asObject(asObject(json).data).id) ?? upstreamFailed('did not take a picture', { status, json })
    )
  })
