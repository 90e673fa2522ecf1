import type { ChatBody, ContentPart, JsonObject } from './chat.ts'
import { partsOf } from './chat-request.ts'
import type { ChannelView, ProviderIo } from './exchange.ts'
import { textOf } from './json.ts'
import { addressOf, type InlineMedia, parseDataUrl } from './media.ts'
import { bearerHeaders } from './openai-compatible/transport.ts'
import { refuse } from './refuse.ts'

const PICTURES_MAX = 20

/** Gives the vendor's id of a picture that it has taken. */
type Upload = (picture: File) => Promise<string>

/**
 * The body with every picture that is in it as base64 uploaded, and named by its id as a part of the type `file`. For vendors that
 * take pictures in no other way. Throws a GatewayError for too many, and what `upload` throws.
 */
export async function uploadPictures<Body extends ChatBody>(body: Body, upload: Upload): Promise<Body> {
  let left = PICTURES_MAX
  const uploaded = async (part: ContentPart): Promise<ContentPart> => {
    const media = part.type === 'image_url' ? parseDataUrl(addressOf(part.image_url)) : undefined
    if (!media) return part
    left -= 1
    if (left < 0) refuse('messages', 'more pictures', `at most ${PICTURES_MAX} as base64 for this vendor`)
    return { type: 'file', file: { file_id: await upload(toFile(media)) } }
  }
  const messages = []
  for (const message of body.messages) {
    const parts = []
    for (const part of partsOf(message.content)) parts.push(await uploaded(part))
    messages.push(typeof message.content === 'string' ? message : { ...message, content: parts })
  }
  return { ...body, messages }
}

function toFile({ mediaType, data }: InlineMedia): File {
  const name = `picture.${mediaType.replace(/^image\//, '')}`
  return new File([Buffer.from(data, 'base64')], name, { type: mediaType })
}

/** The id of a part of the type `file`. Throws a GatewayError `invalid_request` for a file that was not uploaded as a picture. */
export const uploadedIdOf = ({ file_id }: JsonObject): string =>
  textOf(file_id) ?? refuse('messages', 'a file', 'text and pictures for this vendor')

interface FormUpload {
  readonly channel: ChannelView
  readonly url: string
  readonly fields: Readonly<Record<string, string | File>>
}

/** Sends a form, as uploads are sent. */
export function sendForm(
  { channel, url, fields }: FormUpload,
  io: ProviderIo,
): ReturnType<ProviderIo['send']> {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.append(name, value)
  const { 'content-type': _, ...headers } = bearerHeaders({ channel })
  return io.send({ url, headers, body })
}
