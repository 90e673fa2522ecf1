import { GatewayError } from '../../core/errors.ts'
import type { ChannelView, ProviderIo } from '../exchange.ts'
import { isObject } from '../json.ts'
import type { Balance } from '../provider.ts'
import { bearerHeaders, openaiUrl } from './transport.ts'

const DAY_SECONDS = 86_400
const DAYS_WITHOUT_PAYMENT_METHOD = 100

/**
 * What is left by OpenAI's old billing addresses, in dollars: the limit less the usage, which comes in cents.
 * OpenAI itself no longer answers them to keys; resellers and gateways do.
 */
export async function openaiCompatibleBalance(channel: ChannelView, io: ProviderIo): Promise<Balance> {
  const subscription = await ask('/v1/dashboard/billing/subscription', channel, io)
  const window =
    subscription.has_payment_method === false ? lastDays(io.nowSeconds) : thisMonth(io.nowSeconds)
  const usage = await ask(`/v1/dashboard/billing/usage?${window}`, channel, io)
  const { hard_limit_usd: limit } = subscription
  const { total_usage: usedCents } = usage
  if (typeof limit !== 'number' || typeof usedCents !== 'number')
    throw new GatewayError('upstream_failed', 'the billing answer lacks hard_limit_usd or total_usage')
  return { amount: limit - usedCents / 100, currency: 'USD' }
}

async function ask(path: string, channel: ChannelView, io: ProviderIo) {
  const url = openaiUrl(channel.baseUrl, path)
  const { status, json } = await io.send({ method: 'GET', url, headers: bearerHeaders({ channel }) })
  if (status === 200 && isObject(json)) return json
  throw new GatewayError(
    'upstream_failed',
    `the billing address answered with status ${status}, needed 200 and an object`,
  )
}

const dayOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)

const lastDays = (now: number): string =>
  `start_date=${dayOf(now - DAYS_WITHOUT_PAYMENT_METHOD * DAY_SECONDS)}&end_date=${dayOf(now)}`

const thisMonth = (now: number): string => `start_date=${dayOf(now).slice(0, 8)}01&end_date=${dayOf(now)}`
