import { CHANNEL_STATUS } from '#contract/enums.ts'
import type { ApiContext } from '#server/api/context.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { errorTexts, GatewayError } from '#server/core/errors.ts'
import { toStoredText } from '#server/core/language.ts'
import { type ChannelRow, disableChannelAutomatically } from '#server/db/channels/channels.ts'
import { inTransaction } from '#server/db/engine/database.ts'
import type { AccountBalance } from '#server/provider-kit/contract/provider.ts'
import type { RunOutcome } from './channel-run.ts'
import { channelError } from './errors.ts'
import { getChannelRow } from './models/abilities.ts'
import { updateFigures } from './queries/channels.ts'
import { createChannelIo, toProviderChannel } from './upstream.ts'

type BalanceDeps = Pick<
  ApiContext,
  'db' | 'settings' | 'registry' | 'secrets' | 'send' | 'signal' | 'rootNotifier' | 'events'
>

/** Queries the balance from the provider, stores it and returns it, in the provider's currency. */
export async function updateBalance(channelId: number, context: BalanceDeps): Promise<number> {
  const channel = await getChannelRow(context.db, channelId)
  const provider = context.registry.byType(channel.type)
  if (!provider?.balance) throw channelError('cannot_tell_balance')
  const view = toProviderChannel(channel, context.secrets.decrypt(channel.key_sealed), provider)
  try {
    const { amount, currency } = await provider.balance(view, createChannelIo(view, context))
    await storeBalance(channelId, { amount, currency }, context)
    return amount
  } catch (error) {
    if (error instanceof GatewayError || error instanceof SyntaxError)
      throw channelError('balance_failed', { reason: errorTexts(error) })
    throw error
  }
}

function storeBalance(
  channelId: number,
  { amount, currency }: AccountBalance,
  { db, events }: Pick<BalanceDeps, 'db' | 'events'>,
): Promise<void> {
  const now = nowSeconds()
  return inTransaction(db, async tx => {
    await updateFigures(tx, channelId, { balance: amount, balance_updated_time: now })
    await events.balanceRead(tx, { channelId, readAt: now, balance: amount, currency })
  })
}

/** Updates one balance and disables the channel when nothing is left and the options allow it. */
export async function updateBalanceAndStatus(channelId: number, context: BalanceDeps): Promise<RunOutcome> {
  const balance = await updateBalance(channelId, context)
  const channel = await getChannelRow(context.db, channelId)
  const { AutomaticDisableChannelEnabled } = context.settings.current().values
  if (balance > 0 || channel.auto_ban !== 1 || !AutomaticDisableChannelEnabled)
    return { ok: true, change: 'none' }
  const reason = { zh: '余额不足', en: 'the balance is used up' }
  const isDisabled = await disableChannelAutomatically(context.db, channel.id, {
    reason: toStoredText(reason),
    atSeconds: nowSeconds(),
  })
  if (isDisabled) context.rootNotifier.channelDisabled(channel, reason)
  return { ok: true, change: isDisabled ? 'disabled' : 'none' }
}

/** Whether an update of all balances includes the channel: it is enabled and its provider reports balances. */
export const hasBalanceQuery = (
  channel: Pick<ChannelRow, 'status' | 'type'>,
  { registry }: Pick<ApiContext, 'registry'>,
): boolean =>
  channel.status === CHANNEL_STATUS.enabled && registry.byType(channel.type)?.balance !== undefined
