import { createHmac } from 'node:crypto'
import { GatewayError } from '../../core/errors.ts'
import type { AdapterCall } from '../../provider-kit/contract/operation-adapter.ts'
import { signJwt } from '../../provider-kit/signing.ts'

const HEADER = { alg: 'HS256', sign_type: 'SIGN' }
const LIFE_SECONDS = 86_400

/**
 * A token of a day, signed with the secret part of the key `id.secret`; its times are in milliseconds. Throws a GatewayError for
 * a key of another form. Source: open.bigmodel.cn/dev/api#http_auth
 */
export function zhipuToken({
  channel,
  nowSeconds,
}: Pick<AdapterCall<unknown>, 'channel' | 'nowSeconds'>): string {
  const [id, secret] = channel.key.split('.')
  if (!id || !secret)
    throw new GatewayError('upstream_failed', "the channel's key has not the form id.secret")
  const timestamp = nowSeconds * 1000
  const claims = { api_key: id, exp: timestamp + LIFE_SECONDS * 1000, timestamp }
  return signJwt(HEADER, claims, text => createHmac('sha256', secret).update(text).digest())
}
