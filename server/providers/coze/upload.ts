import type { ChatBody } from '../../provider-kit/chat.ts'
import type { Preparing, ProviderIo } from '../../provider-kit/exchange.ts'
import { objectOf, textOf } from '../../provider-kit/json.ts'
import { sendForm, uploadPictures } from '../../provider-kit/upload-pictures.ts'
import { upstreamFailed } from '../../provider-kit/upstream-failed.ts'

/** Source: coze.com/docs/developer_guides/upload_files */
export const uploadToCoze = ({ body, channel }: Preparing<ChatBody>, io: ProviderIo): Promise<ChatBody> =>
  uploadPictures(body, async file => {
    const { status, json } = await sendForm(
      { channel, url: `${channel.baseUrl}/v1/files/upload`, fields: { file } },
      io,
    )
    return (
      textOf(objectOf(objectOf(json).data).id) ?? upstreamFailed('did not take a picture', { status, json })
    )
  })
