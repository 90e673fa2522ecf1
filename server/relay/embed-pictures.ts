import { MIB } from '../core/limits.ts'
import type { ImagesReply, Picture } from '../provider-kit/images.ts'
import type { Egress } from './upstream/safe-fetch.ts'

const PICTURE_BYTES_MAX = 32 * MIB
const TIMEOUT_MS = 60_000
const STATUS_OK = 200

/** Fetches the pictures that the vendor only names. One that cannot be had stays an address: it is paid for. */
export const withEmbeddedPictures = async (reply: ImagesReply, egress: Egress): Promise<ImagesReply> => ({
  ...reply,
  pictures: await Promise.all(reply.pictures.map(picture => embedded(picture, egress))),
})

async function embedded(picture: Picture, egress: Egress): Promise<Picture> {
  const { url, ...rest } = picture
  if (!url || picture.b64_json) return picture
  const fetched = await egress({ url, bytesMax: PICTURE_BYTES_MAX, timeoutMs: TIMEOUT_MS })
  if (fetched.kind === 'failure' || fetched.status !== STATUS_OK) return picture
  return { ...rest, b64_json: Buffer.from(fetched.bytes).toString('base64') }
}
