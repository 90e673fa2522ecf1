import { GatewayError } from '../../core/errors.ts'
import { MIB } from '../../core/limits.ts'
import { detectMediaType } from '../../core/media-type.ts'
import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import { isObject, asArray, asObject, asString } from '../../provider-kit/json.ts'
import type { RelayRequest } from '../types.ts'
import type { Egress } from './safe-fetch.ts'

const PICTURES_MAX = 16
const PICTURE_BYTES_MAX = 20 * MIB
/** Of all together: many pictures may each be smaller. */
const PICTURES_BYTES_MAX = 64 * MIB
const TIMEOUT_MS = 20_000
const STATUS_OK = 200

/** The pictures of a chat that the client names by an address. */
export interface ChatPictures {
  /**
   * The order with all of them in its body. Fetched once, however often it is asked for. Rejects with a GatewayError
   * `invalid_request` for one that cannot be used.
   */
  embedded(): Promise<RelayRequest>
}

export function openChatPictures(order: RelayRequest, egress: Egress): ChatPictures {
  let embedding: Promise<RelayRequest> | undefined
  return {
    embedded() {
      embedding ??= embed(order, egress)
      return embedding
    },
  }
}

async function embed(order: RelayRequest, egress: Egress): Promise<RelayRequest> {
  const addresses = [
    ...new Set(asArray(order.body.messages).flatMap(message => partsIn(message).flatMap(addressIn))),
  ]
  if (addresses.length === 0) return order
  if (addresses.length > PICTURES_MAX)
    throw new GatewayError(
      'invalid_request',
      `image_url: found ${addresses.length} addresses of pictures, needed at most ${PICTURES_MAX}`,
    )
  const bytesMax = Math.min(PICTURE_BYTES_MAX, Math.floor(PICTURES_BYTES_MAX / addresses.length))
  const fetched = await Promise.all(addresses.map(address => fetchPicture(address, bytesMax, egress)))
  const known = new Map(addresses.map((address, index) => [address, fetched[index] ?? '']))
  const messages = asArray(order.body.messages).map(message => withPictures(message, known))
  return { ...order, body: { ...order.body, messages } }
}

const partsIn = (message: unknown): readonly unknown[] => asArray(asObject(message).content)

/** Clients give the address bare or in an object. */
function addressIn(part: unknown): readonly string[] {
  const { type, image_url } = asObject(part)
  const address = asString(image_url) ?? asString(asObject(image_url).url)
  return type === 'image_url' && address && /^https?:/i.test(address) ? [address] : []
}

function withPictures(message: unknown, known: ReadonlyMap<string, string>): unknown {
  if (!isObject(message) || !Array.isArray(message.content)) return message
  return { ...message, content: message.content.map(part => withPicture(part, known)) }
}

function withPicture(part: unknown, known: ReadonlyMap<string, string>): unknown {
  const [address] = addressIn(part)
  if (address === undefined) return part
  const { image_url, ...rest }: JsonObject = asObject(part)
  return { ...rest, image_url: { ...asObject(image_url), url: known.get(address) } }
}

/** As a data URL of the type that its bytes show. */
async function fetchPicture(url: string, bytesMax: number, egress: Egress): Promise<string> {
  const fetched = await egress({ url, bytesMax, timeoutMs: TIMEOUT_MS })
  if (fetched.kind === 'failure') throw unusable(fetched.reason)
  if (fetched.status !== STATUS_OK) throw unusable(`it was answered with the status ${fetched.status}`)
  const type = detectMediaType(fetched.bytes)
  if (!type?.startsWith('image/')) throw unusable('what is there is no picture')
  return `data:${type};base64,${Buffer.from(fetched.bytes).toString('base64')}`
}

const unusable = (reason: string): GatewayError =>
  new GatewayError('invalid_request', `image_url: the picture cannot be used, since ${reason}`)
