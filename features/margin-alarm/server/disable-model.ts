import { CHANNEL_STATUS, LOG_TYPE } from '#contract/enums.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { type BothLanguages, toStoredText } from '#server/core/language.ts'
import { namesOf } from '#server/db/channels/abilities.ts'
import { disableChannelAutomatically, lockChannel } from '#server/db/channels/channels.ts'
import { readStoppedModels } from '#server/db/channels/stopped-models.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import { insertEventLog } from '#server/db/logs/log-writes.ts'
import type { RoutedChannel } from '#server/relay/routing/channel-directory.ts'
import { stopModel } from './queries.ts'

interface Stop {
  readonly channel: Pick<RoutedChannel, 'id' | 'name'>
  /** As in the channel's list of models. */
  readonly model: string
  readonly reason: BothLanguages
}

/**
 * Takes a model out of a channel, or disables the channel when it serves no other, until an administrator allows it
 * again. Returns what was stopped; undefined when it was stopped before.
 */
export function disableModel(db: Database, stop: Stop): Promise<'model' | 'channel' | undefined> {
  const { channel, model, reason } = stop
  return inTransaction(db, async tx => {
    const row = await lockChannel(tx, channel.id)
    if (row?.status !== CHANNEL_STATUS.enabled) return
    const earlier = readStoppedModels(row.stopped_models)
    const isServed = (name: string) => earlier.every(stopped => stopped.model !== name)
    if (!isServed(model)) return
    const stopped = { reason: toStoredText(reason), atSeconds: nowSeconds() }
    const servesOthers = namesOf(row.models).some(name => name !== model && isServed(name))
    if (servesOthers) {
      const all = [...earlier, { model, reason: stopped.reason, stopped_at: stopped.atSeconds }]
      await stopModel(tx, { channelId: channel.id, model, stopped: all })
    } else await disableChannelAutomatically(tx, channel.id, { ...stopped, needsReview: true })
    await logStop(tx, stop, servesOthers)
    return servesOthers ? 'model' : 'channel'
  })
}

/** A row of the management log without a user: the gateway itself acted. */
function logStop(tx: Database, { channel, model, reason }: Stop, isModelOnly: boolean): Promise<void> {
  const named = `#${channel.id} (${channel.name})`
  return insertEventLog(tx, {
    type: LOG_TYPE.management,
    userId: 0,
    username: '',
    content: isModelOnly
      ? {
          zh: `渠道 ${named} 的模型 ${model} 已被自动禁用：${reason.zh}`,
          en: `the model ${model} of channel ${named} was stopped automatically: ${reason.en}`,
        }
      : {
          zh: `渠道 ${named} 已被自动禁用：${reason.zh}`,
          en: `channel ${named} was stopped automatically: ${reason.en}`,
        },
  })
}
