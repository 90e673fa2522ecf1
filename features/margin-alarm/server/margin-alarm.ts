import type { ValuesOf } from '#contract/options/define-option.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { errorMessage } from '#server/core/errors.ts'
import { type BothLanguages, toStoredText } from '#server/core/language.ts'
import type { Logger } from '#server/core/logger.ts'
import { NANOS_PER_UNIT } from '#server/core/money.ts'
import { markChannel } from '#server/db/channels/channels.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { RootNotifier } from '#server/notifications/root-notifier.ts'
import type { SettledRequest } from '#server/relay/hooks.ts'
import { listedModel, type RoutedChannel } from '#server/relay/routing/channel-directory.ts'
import type { options } from '../options.ts'
import { disableModel } from './disable-model.ts'
import { lossNotice, stopNotice } from './notices.ts'

/** The sale with which the losses became too many. */
interface Sale {
  readonly channel: Pick<RoutedChannel, 'id' | 'name'>
  /** As in the channel's list of models. */
  readonly model: string
  readonly requestId: string
}

interface MarginAlarmDeps {
  readonly db: Database
  readonly log: Logger
  readonly channels: { refresh(): Promise<unknown> }
  readonly options: () => ValuesOf<typeof options>
  readonly rootNotifier: Pick<RootNotifier, 'notify' | 'channelDisabled'>
}

/** Losses in a row, and their sum. */
interface Losses {
  readonly count: number
  readonly nanos: number
}

const NO_LOSSES: Losses = { count: 0, nanos: 0 }
const NANOS_PER_DOLLAR = 1_000_000_000
const DOLLAR_DIGITS = 6
/** Charges are rounded to whole units, so a sale exactly at cost may lose half of one. */
const ROUNDING_NANOS = NANOS_PER_UNIT / 2

/** Notices models that a channel sells below their cost. */
export function createMarginAlarm(deps: MarginAlarmDeps): (settled: SettledRequest) => void {
  /** By channel and model, which are as many as an operator has configured. */
  const losses = new Map<string, Losses>()
  return ({ channel, model: requested, requestId, charge, costNanos }) => {
    if (charge === undefined || costNanos === undefined || isWithoutOutput(charge, costNanos)) return
    const { MarginAlarmRequests: requests } = deps.options()
    const model = listedModel(channel, requested)
    const key = `${channel.id} ${model}`
    const lossNanos = costNanos - charge * NANOS_PER_UNIT
    if (requests === 0 || lossNanos <= ROUNDING_NANOS) {
      losses.delete(key)
      return
    }
    const earlier = losses.get(key) ?? NO_LOSSES
    const total = { count: earlier.count + 1, nanos: earlier.nanos + lossNanos }
    if (total.count < requests) {
      losses.set(key, total)
      return
    }
    losses.delete(key)
    raise({ channel, model, requestId }, total, deps).catch((error: unknown) =>
      deps.log.error('a channel that sells below cost could not be marked', {
        channel_id: channel.id,
        reason: errorMessage(error),
      }),
    )
  }
}

/** Such a response says nothing about the prices. */
const isWithoutOutput = (charge: number, costNanos: number): boolean => charge === 0 && costNanos === 0

/** Marks the channel, or stops the model where the options say so, until an administrator allows it again. */
async function raise(sale: Sale, losses: Losses, deps: MarginAlarmDeps): Promise<void> {
  const { channel, requestId, model } = sale
  const reason = lossReason(model, losses)
  deps.log.warn('a channel sells a model below cost', {
    request_id: requestId,
    channel_id: channel.id,
    model,
    requests: losses.count,
    loss_nanos: losses.nanos,
  })
  if (!deps.options().MarginStopEnabled) {
    deps.rootNotifier.notify(lossNotice(channel, reason))
    const mark = { reason: toStoredText(reason), atSeconds: nowSeconds(), isBelowCost: true }
    await markChannel(deps.db, channel.id, mark)
    return
  }
  const stopped = await disableModel(deps.db, { channel, model, reason })
  if (stopped === undefined) return
  await deps.channels.refresh()
  if (stopped === 'model') deps.rootNotifier.notify(stopNotice(channel, model, reason))
  else deps.rootNotifier.channelDisabled(channel, reason)
}

function lossReason(model: string, { count, nanos }: Losses): BothLanguages {
  const dollars = `$${(nanos / NANOS_PER_DOLLAR).toFixed(DOLLAR_DIGITS)}`
  return {
    zh: `${model} 连续 ${count} 次请求的售价低于成本，共亏损 ${dollars}`,
    en: `${model} was sold below cost ${count === 1 ? 'once' : `${count} times in a row`}, for a loss of ${dollars}`,
  }
}
