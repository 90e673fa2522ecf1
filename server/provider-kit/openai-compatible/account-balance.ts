import { GatewayError } from '../../core/errors.ts'
import type { JsonObject } from '../chat.ts'
import type { Call, ChannelView } from '../exchange.ts'
import { isObject } from '../json.ts'
import type { Balance, Provider } from '../provider.ts'
import { bearerHeaders, openaiUrl } from './transport.ts'

interface AccountBalance {
  /** Under the base address. */
  readonly path?: string
  /** Where the address is another than the channel's. */
  readonly url?: string
  readonly headers?: (call: Pick<Call<unknown>, 'channel'>) => Record<string, string>
  /** Undefined where the answer does not say. */
  readonly read: (json: JsonObject, channel: ChannelView) => Balance | undefined
}

/** The balance where one GET tells it. */
export const accountBalance =
  ({ path = '', url, headers = bearerHeaders, read }: AccountBalance): NonNullable<Provider['balance']> =>
  async (channel, io) => {
    const { status, json } = await io.send({
      method: 'GET',
      url: url ?? openaiUrl(channel.baseUrl, path),
      headers: headers({ channel }),
    })
    const balance = status === 200 && isObject(json) ? read(json, channel) : undefined
    if (balance && Number.isFinite(balance.amount)) return balance
    throw new GatewayError(
      'upstream_failed',
      `the account's address answered with status ${status} and without the balance`,
    )
  }
