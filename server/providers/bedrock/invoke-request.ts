import {
  type AdapterCall,
  stringifyBody,
  type UpstreamRequest,
} from '../../provider-kit/contract/operation-adapter.ts'
import { invalidKeyFormat } from '../../provider-kit/failures.ts'
import type { JsonObject } from '../../provider-kit/json.ts'
import { signV4 } from '../../provider-kit/signing.ts'

const ANTHROPIC_VERSION = 'bedrock-2023-05-31'
const SERVICE = 'bedrock'

/** `AccessKey|SecretKey|Region`, with a session token at the end for temporary keys; or `ApiKey|Region`. */
type Key =
  | { readonly region: string; readonly apiKey: string }
  | {
      readonly region: string
      readonly accessKey: string
      readonly secretKey: string
      readonly sessionToken: string | undefined
    }

/** Throws a GatewayError `upstream_failed` for a malformed key. */
function readKey(key: string): Key {
  const [first, second, third, sessionToken] = key.split('|').map(part => part.trim())
  if (first && second && third) return { accessKey: first, secretKey: second, region: third, sessionToken }
  if (first && second && third === undefined) return { apiKey: first, region: second }
  throw invalidKeyFormat('Ak|Sk|Region')
}

/**
 * A Messages API body as Bedrock expects it: the URL names the model and whether the response is streamed.
 * Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html
 */
export function toInvokeRequest(call: AdapterCall<unknown>, body: JsonObject): UpstreamRequest {
  const { channel, model, isStream, nowSeconds } = call
  const key = readKey(channel.key)
  const base = channel.baseUrl || `https://bedrock-runtime.${key.region}.${toDomain(key.region)}`
  const action = isStream ? 'invoke-with-response-stream' : 'invoke'
  const url = `${base}/model/${encodeURIComponent(toModelId(model, key.region))}/${action}`
  const { model: _, stream, ...rest } = body
  const request = { url, body: stringifyBody({ ...rest, anthropic_version: ANTHROPIC_VERSION }, call) }
  const headers = { 'content-type': 'application/json' }
  if ('apiKey' in key) return { ...request, headers: { ...headers, authorization: `Bearer ${key.apiKey}` } }
  const sign = (sent: string | Uint8Array) =>
    signV4({ ...key, service: SERVICE, url, body: sent, nowSeconds })
  return { ...request, headers, sign }
}

const toDomain = (region: string): string => (region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com')

/**
 * Models whose id is not `anthropic.NAME-v1:0`. Source:
 * docs.aws.amazon.com/bedrock/latest/userguide/models-supported.html
 */
const ID_OF: Readonly<Record<string, string>> = {
  'claude-instant-1.2': 'anthropic.claude-instant-v1',
  'claude-2.0': 'anthropic.claude-v2',
  'claude-2.1': 'anthropic.claude-v2:1',
  'claude-3-5-sonnet-20241022': 'anthropic.claude-3-5-sonnet-20241022-v2:0',
  'claude-opus-4-6': 'anthropic.claude-opus-4-6-v1',
  'claude-sonnet-4-6': 'anthropic.claude-sonnet-4-6',
}

/** Later models are only available through the inference profile of a geography. */
const NEEDS_PROFILE = /^claude-(?:3-7|[a-z]+-\d)/
const HAS_GLOBAL_PROFILE = /^claude-[a-z]+-4-[5-9]/
const PROFILES: readonly (readonly [region: RegExp, profile: string])[] = [
  [/^us-gov-/, 'us-gov.'],
  [/^(?:us|ca)-/, 'us.'],
  [/^eu-/, 'eu.'],
]

/** The id to call. Ids, profiles and ARNs from an operator's model mapping stay unchanged. */
function toModelId(name: string, region: string): string {
  if (isId(name)) return name
  const id = ID_OF[name] ?? `anthropic.${name}-v1:0`
  if (!NEEDS_PROFILE.test(name)) return id
  const regional = PROFILES.find(([pattern]) => pattern.test(region))?.[1]
  return (regional ?? (HAS_GLOBAL_PROFILE.test(name) ? 'global.' : 'apac.')) + id
}

const isId = (name: string): boolean => /^(?:arn:|(?:[a-z-]+\.)?anthropic\.)/.test(name)

/** Claude's own model name inside an id, which determines its rules. */
export const nameOfId = (id: string): string =>
  id.replace(/^.*anthropic\./, '').replace(/-v\d+(?::\d+)?$/, '')
