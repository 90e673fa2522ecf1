import { GatewayError } from '../../core/errors.ts'
import type { ChannelView, Credential, ProviderIo } from '../../provider-kit/contract/operation-adapter.ts'
import { asCount, asObject, asString } from '../../provider-kit/json.ts'

const PATH = '/oauth/2.0/token'

/**
 * Trades `APIKey|SecretKey` for an access token of a month. Throws a GatewayError; with status 401 where Baidu refuses
 * the key. Baidu documents both as parameters of the address, the one place where it reads them.
 * Source: cloud.baidu.com/doc/WENXINWORKSHOP/s/Ilkkrb0i5
 */
export async function askForToken({ key, baseUrl }: ChannelView, io: ProviderIo): Promise<Credential> {
  const [id, secret] = key.split('|').map(part => part.trim())
  if (!id || !secret)
    throw new GatewayError('upstream_failed', "the channel's key has not the form APIKey|SecretKey")
  const query = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: id,
    client_secret: secret,
  })
  const headers = { 'content-type': 'application/json' }
  const { status, json } = await io.send({ url: `${baseUrl}${PATH}?${query}`, headers })
  const { access_token, expires_in, error_description } = asObject(json)
  const token = asString(access_token)
  const life = asCount(expires_in)
  if (token && life > 0) return { token, expiresAt: io.nowSeconds + life }
  throw new GatewayError(
    'upstream_failed',
    `Baidu gave no token: ${asString(error_description) ?? `status ${status}`}`,
    status === 400 || status === 401 ? { status: 401 } : {},
  )
}
