import { z } from 'zod'
import { parseJsonText } from '#contract/json-text.ts'
import type { ApiContext } from '#server/api/context.ts'
import type { ChannelRow } from '#server/db/channels/channels.ts'
import { readStoppedModels, writeStoppedModels } from '#server/db/channels/stopped-models.ts'
import type { Database } from '#server/db/engine/database.ts'
import { channelError } from '../errors.ts'
import { logChannelEvent } from '../key-destination.ts'
import { listAutoDisabledChannels, updateChannels } from '../queries/channels.ts'
import { getChannelRow, lockChannelRow, writeChannels } from './abilities.ts'

type AllowDeps = Pick<ApiContext, 'caller' | 'requestId'>

const channelText = ({ id, name }: Pick<ChannelRow, 'id' | 'name'>): string => `#${id} (${name})`

/** Routes requests for stopped models to the channel again. Throws `channel.not_stopped` when one of them is not stopped. */
export async function allowModels(
  { id, models }: { readonly id: number; readonly models: readonly string[] },
  { db, ...context }: AllowDeps & Pick<ApiContext, 'db'>,
): Promise<ChannelRow> {
  await writeChannels(db, async tx => {
    const channel = await lockChannelRow(tx, id)
    const stopped = readStoppedModels(channel.stopped_models)
    for (const model of models)
      if (stopped.every(other => other.model !== model)) throw channelError('not_stopped', { model })
    const left = stopped.filter(({ model }) => !models.includes(model))
    const { username } = context.caller
    await logChannelEvent(tx, context, {
      zh: `管理员 ${username} 重新允许了渠道 ${channelText(channel)} 的模型 ${models.join('、')}`,
      en: `${username} allowed ${models.join(', ')} again on channel ${channelText(channel)}`,
    })
    return updateChannels(tx, { ids: [id] }, { stopped_models: writeStoppedModels(left) })
  })
  return getChannelRow(db, id)
}

/** Leaves a row in the management log for each of these channels that only an administrator may enable again. */
export async function logReviewed(
  tx: Database,
  which: { readonly ids: readonly number[] } | { readonly tag: string },
  context: AllowDeps,
): Promise<void> {
  const disabled = await listAutoDisabledChannels(tx, which)
  for (const channel of disabled.filter(needsReview))
    await logChannelEvent(tx, context, {
      zh: `管理员 ${context.caller.username} 重新启用了自动禁用的渠道 ${channelText(channel)}`,
      en: `${context.caller.username} enabled channel ${channelText(channel)} again, which had been stopped automatically`,
    })
}

/** Whether an administrator has to enable the channel: a successful test says nothing about why it was disabled. */
export function needsReview({ other_info }: Pick<ChannelRow, 'other_info'>): boolean {
  const info = parseJsonText(other_info)
  return info.ok && ReviewedInfo.safeParse(info.value).success
}

const ReviewedInfo = z.object({ needs_review: z.literal(true) })
