import { GatewayError } from '../../core/errors.ts'
import type { JsonObject } from '../contract/chat.ts'
import type { AdapterCall, ChannelView, ProviderIo } from '../contract/operation-adapter.ts'
import type { AccountBalance, Provider } from '../contract/provider.ts'
import { isObject } from '../json.ts'
import { bearerHeaders, openaiUrl } from '../transport.ts'

const DAY_SECONDS = 86_400
const DAYS_WITHOUT_PAYMENT_METHOD = 100

/**
 * The balance in US dollars from OpenAI's legacy billing endpoints: the limit less the usage, which is in cents.
 * OpenAI itself no longer serves them to keys; resellers and gateways do.
 */
export async function openaiCompatibleBalance(channel: ChannelView, io: ProviderIo): Promise<AccountBalance> {
  const subscription = await fetchBilling('/v1/dashboard/billing/subscription', channel, io)
  const window =
    subscription.has_payment_method === false ? lastDays(io.nowSeconds) : thisMonth(io.nowSeconds)
  const usage = await fetchBilling(`/v1/dashboard/billing/usage?${window}`, channel, io)
  const { hard_limit_usd: limit } = subscription
  const { total_usage: usageCents } = usage
  if (typeof limit !== 'number' || typeof usageCents !== 'number')
    throw new GatewayError('upstream_failed', 'the billing response lacks hard_limit_usd or total_usage')
  return { amount: limit - usageCents / 100, currency: 'USD' }
}

async function fetchBilling(path: string, channel: ChannelView, io: ProviderIo) {
  const url = openaiUrl(channel.baseUrl, path)
  const { status, json } = await io.send({ method: 'GET', url, headers: bearerHeaders({ channel }) })
  if (status === 200 && isObject(json)) return json
  throw new GatewayError(
    'upstream_failed',
    `the billing endpoint returned status ${status}, needed 200 and an object`,
  )
}

const toDate = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)

const lastDays = (now: number): string =>
  `start_date=${toDate(now - DAYS_WITHOUT_PAYMENT_METHOD * DAY_SECONDS)}&end_date=${toDate(now)}`

const thisMonth = (now: number): string => `start_date=${toDate(now).slice(0, 8)}01&end_date=${toDate(now)}`

interface BalanceEndpointOptions {
  /** Path below the base URL. */
  readonly path?: string
  /** A fixed URL, where the account API has its own host. */
  readonly url?: string
  readonly headers?: (call: Pick<AdapterCall<unknown>, 'channel'>) => Record<string, string>
  /** Undefined where the response has no balance. */
  readonly read: (json: JsonObject, channel: ChannelView) => AccountBalance | undefined
}

/**
 * The balance of a vendor that reports it in one GET. Throws a GatewayError `upstream_failed` when the response has
 * none.
 */
export const balanceEndpoint =
  ({
    path = '',
    url,
    headers = bearerHeaders,
    read,
  }: BalanceEndpointOptions): NonNullable<Provider['balance']> =>
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
      `the account endpoint returned status ${status} without a balance`,
    )
  }
