import { createHash, createHmac } from 'node:crypto'
import { GatewayError } from '../../core/errors.ts'
import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import type { AdapterCall, UpstreamRequest } from '../../provider-kit/contract/operation-adapter.ts'

/** The host that Tencent verifies, also where a proxy in front of it changes the header. */
const HOST = 'hunyuan.tencentcloudapi.com'
const SERVICE = 'hunyuan'
const VERSION = '2023-09-01'
const SIGNED_NAMES = 'content-type;host;x-tc-action'

interface Tc3Signing {
  /** `AppId|SecretId|SecretKey`. */
  readonly key: string
  readonly action: string
  readonly nowSeconds: number
}

/**
 * The headers that sign a body with TC3-HMAC-SHA256. Throws a GatewayError `upstream_failed` for a malformed key.
 * Source: cloud.tencent.com/document/api/1729/101843
 */
export function signTc3(body: string, { key, action, nowSeconds }: Tc3Signing): Record<string, string> {
  const [, id, secret] = key.split('|').map(part => part.trim())
  if (!id || !secret)
    throw new GatewayError('upstream_failed', "the channel's key must have the form AppId|SecretId|SecretKey")
  const headers = `content-type:application/json\nhost:${HOST}\nx-tc-action:${action.toLowerCase()}\n`
  const canonical = ['POST', '/', '', headers, SIGNED_NAMES, sha256(body)].join('\n')
  const date = new Date(nowSeconds * 1000).toISOString().slice(0, 10)
  const scope = [date, SERVICE, 'tc3_request']
  const toSign = ['TC3-HMAC-SHA256', nowSeconds, scope.join('/'), sha256(canonical)].join('\n')
  const signingKey = scope.reduce<Buffer>(hmac, Buffer.from(`TC3${secret}`))
  const signature = hmac(signingKey, toSign).toString('hex')
  return {
    'x-tc-action': action,
    'x-tc-version': VERSION,
    'x-tc-timestamp': String(nowSeconds),
    authorization: `TC3-HMAC-SHA256 Credential=${id}/${scope.join('/')}, SignedHeaders=${SIGNED_NAMES}, Signature=${signature}`,
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** All actions share one URL. The final body is signed. */
export function toActionRequest(
  { channel, nowSeconds }: AdapterCall<unknown>,
  action: 'ChatCompletions' | 'GetEmbedding',
  body: JsonObject,
): UpstreamRequest {
  return {
    url: `${channel.baseUrl}/`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    sign: sent => signTc3(sent, { key: channel.key, action, nowSeconds }),
  }
}
