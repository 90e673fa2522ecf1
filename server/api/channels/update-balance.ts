import { nowSeconds } from '../../core/clock.ts'
import { GatewayError, errorMessage } from '../../core/errors.ts'
import { type ChannelRow, updateChannelBalance, disableChannelAutomatically } from '../../db/channels/channels.ts'
import type { RunOutcome } from '../channel-run.ts'
import type { ApiContext } from '../context.ts'
import { createProviderIo, toProviderChannel } from './ask-upstream.ts'
import { getChannelRow } from './rebuild.ts'
import { channelError } from './refuse.ts'

const ENABLED = 1

type BalanceDeps = Pick<
  ApiContext,
  'db' | 'settings' | 'registry' | 'secrets' | 'send' | 'signal' | 'rootNotices'
>

/** Asks the vendor what is left, stores it and gives it, in the vendor's currency. */
export async function updateBalance(channelId: number, context: BalanceDeps): Promise<number> {
  const channel = await getChannelRow(context.db, channelId)
  const provider = context.registry.byType(channel.type)
  if (!provider?.balance) throw channelError('cannot_tell_balance')
  const view = toProviderChannel(channel, context.secrets.decrypt(channel.key_sealed), provider)
  try {
    const { amount } = await provider.balance(view, createProviderIo(view, context))
    await updateChannelBalance(context.db, channelId, { balance: amount, balance_updated_time: nowSeconds() })
    return amount
  } catch (error) {
    if (error instanceof GatewayError || error instanceof SyntaxError)
      throw channelError('balance_failed', { reason: errorMessage(error) })
    throw error
  }
}

/** Updates one channel of many and, where the options allow it, takes one that is used up out of routing. */
export async function updateBalanceAndStatus(channelId: number, context: BalanceDeps): Promise<RunOutcome> {
  const balance = await updateBalance(channelId, context)
  const channel = await getChannelRow(context.db, channelId)
  const { AutomaticDisableChannelEnabled } = context.settings.current().values
  if (balance > 0 || channel.auto_ban !== 1 || !AutomaticDisableChannelEnabled)
    return { ok: true, change: 'none' }
  const reason = '余额不足'
  const isDisabled = await disableChannelAutomatically(context.db, channel.id, {
    reason,
    atSeconds: nowSeconds(),
  })
  if (isDisabled) context.rootNotices.channelDisabled(channel, reason)
  return { ok: true, change: isDisabled ? 'disabled' : 'none' }
}

/** Whether a channel is asked when all are: enabled, and of a vendor that tells a balance. */
export const hasBalanceQuery = (
  channel: Pick<ChannelRow, 'status' | 'type'>,
  { registry }: Pick<ApiContext, 'registry'>,
): boolean => channel.status === ENABLED && registry.byType(channel.type)?.balance !== undefined
