import { GatewayError } from '../../core/errors.ts'
import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import type { AdapterCall, UpstreamRequest } from '../../provider-kit/contract/operation-adapter.ts'
import { signV4 } from '../../provider-kit/signing.ts'
import { toModelId } from './model-id.ts'

const ANTHROPIC_VERSION = 'bedrock-2023-05-31'
const SERVICE = 'bedrock'

/** `Ak|Sk|Region`, with a session token behind it for temporary keys; or `ApiKey|Region`. */
type Key =
  | { readonly region: string; readonly apiKey: string }
  | {
      readonly region: string
      readonly accessKey: string
      readonly secretKey: string
      readonly sessionToken: string | undefined
    }

/** Throws a GatewayError `upstream_failed` for a key of other parts. */
function readKey(key: string): Key {
  const [first, second, third, sessionToken] = key.split('|').map(part => part.trim())
  if (first && second && third) return { accessKey: first, secretKey: second, region: third, sessionToken }
  if (first && second && third === undefined) return { apiKey: first, region: second }
  throw new GatewayError('upstream_failed', "the channel's key has not the form Ak|Sk|Region")
}

/**
 * A body of the Messages API as Bedrock wants it: model and kind of answer stand in the address.
 * Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html
 */
export function toInvokeRequest(
  { channel, model, isStream, nowSeconds }: AdapterCall<unknown>,
  body: JsonObject,
): UpstreamRequest {
  const key = readKey(channel.key)
  const base = channel.baseUrl || `https://bedrock-runtime.${key.region}.${domainOf(key.region)}`
  const action = isStream ? 'invoke-with-response-stream' : 'invoke'
  const url = `${base}/model/${encodeURIComponent(toModelId(model, key.region))}/${action}`
  const { model: _, stream, ...rest } = body
  const request = { url, body: JSON.stringify({ ...rest, anthropic_version: ANTHROPIC_VERSION }) }
  const headers = { 'content-type': 'application/json' }
  if ('apiKey' in key) return { ...request, headers: { ...headers, authorization: `Bearer ${key.apiKey}` } }
  const sign = (sent: string) => signV4({ ...key, service: SERVICE, url, body: sent, nowSeconds })
  return { ...request, headers, sign }
}

const domainOf = (region: string): string => (region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com')
