import { GatewayError } from '../../core/errors.ts'
import type { BothLanguages } from '../../core/language.ts'
import { MIB } from '../../core/limits.ts'
import type { SafeFetch } from '../../http-client/safe-fetch.ts'
import { asArray, asObject, asString, isObject, type JsonObject } from '../../provider-kit/json.ts'
import { detectMediaType } from '../../provider-kit/media/media-type.ts'

const IMAGES_MAX = 16
const IMAGE_BYTES_MAX = 20 * MIB
/** For all images of a request together. */
const TOTAL_BYTES_MAX = 64 * MIB
const TIMEOUT_MS = 20_000
const STATUS_OK = 200

/**
 * Replaces the image URLs of a chat body by data URLs. Throws GatewayError `invalid_request` when an image cannot be
 * used.
 */
export async function inlineImages(body: JsonObject, safeFetch: SafeFetch): Promise<JsonObject> {
  const messages = asArray(body.messages)
  const urls = [...new Set(messages.flatMap(message => contentParts(message).flatMap(imageUrls)))]
  if (urls.length === 0) return body
  if (urls.length > IMAGES_MAX)
    throw new GatewayError('invalid_request', {
      zh: `image_url：图片链接数量为 ${urls.length}，最多 ${IMAGES_MAX} 个`,
      en: `image_url: found ${urls.length} image URLs, needed at most ${IMAGES_MAX}`,
    })
  const bytesMax = Math.min(IMAGE_BYTES_MAX, Math.floor(TOTAL_BYTES_MAX / urls.length))
  const dataUrls = await Promise.all(urls.map(url => fetchAsDataUrl(url, bytesMax, safeFetch)))
  const dataUrlByUrl = new Map(urls.map((url, index) => [url, dataUrls[index] ?? '']))
  return { ...body, messages: messages.map(message => inlineMessage(message, dataUrlByUrl)) }
}

const contentParts = (message: unknown): readonly unknown[] => asArray(asObject(message).content)

/** The URL of an image part, if it has one. Clients send it as a string or inside an object. */
function imageUrls(part: unknown): readonly string[] {
  const { type, image_url } = asObject(part)
  const url = asString(image_url) ?? asString(asObject(image_url).url)
  return type === 'image_url' && url && /^https?:/i.test(url) ? [url] : []
}

function inlineMessage(message: unknown, dataUrlByUrl: ReadonlyMap<string, string>): unknown {
  if (!isObject(message) || !Array.isArray(message.content)) return message
  return { ...message, content: message.content.map(part => inlinePart(part, dataUrlByUrl)) }
}

function inlinePart(part: unknown, dataUrlByUrl: ReadonlyMap<string, string>): unknown {
  const [url] = imageUrls(part)
  if (url === undefined) return part
  const { image_url, ...rest }: JsonObject = asObject(part)
  return { ...rest, image_url: { ...asObject(image_url), url: dataUrlByUrl.get(url) } }
}

/** The media type comes from the bytes, since servers report it unreliably. */
async function fetchAsDataUrl(url: string, bytesMax: number, safeFetch: SafeFetch): Promise<string> {
  const fetched = await safeFetch({ url, bytesMax, timeoutMs: TIMEOUT_MS })
  if (fetched.kind === 'failure') throw unusableImage(fetched.reason)
  if (fetched.status !== STATUS_OK)
    throw unusableImage({
      zh: `其服务器返回状态码 ${fetched.status}`,
      en: `its server returned status ${fetched.status}`,
    })
  const type = detectMediaType(fetched.bytes)
  if (!type?.startsWith('image/'))
    throw unusableImage({ zh: '内容不是图片', en: 'the content is not an image' })
  return `data:${type};base64,${Buffer.from(fetched.bytes).toString('base64')}`
}

const unusableImage = (reason: BothLanguages): GatewayError =>
  new GatewayError('invalid_request', {
    zh: `image_url：无法使用该图片：${reason.zh}`,
    en: `image_url: the image cannot be used: ${reason.en}`,
  })
