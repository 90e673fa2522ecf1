import { GatewayError } from '../../kernel/errors.ts'
import type { JsonObject } from '../chat.ts'
import type { ChannelView } from '../exchange.ts'
import { isObject } from '../json.ts'
import type { Balance, Provider } from '../provider.ts'
import { bearerHeaders, openaiUrl } from './transport.ts'

interface AccountBalance {
  /** Under the base address. */
  readonly path: string
  /** Undefined where the answer does not say. */
  readonly read: (json: JsonObject, channel: ChannelView) => Balance | undefined
}

/** The balance where one GET tells it. */
export const accountBalance =
  ({ path, read }: AccountBalance): NonNullable<Provider['balance']> =>
  async (channel, io) => {
    const url = openaiUrl(channel.baseUrl, path)
    const { status, json } = await io.send({ method: 'GET', url, headers: bearerHeaders({ channel }) })
    const balance = status === 200 && isObject(json) ? read(json, channel) : undefined
    if (balance && Number.isFinite(balance.amount)) return balance
    throw new GatewayError(
      'upstream_failed',
      `the account's address answered with status ${status} and without the balance`,
    )
  }
