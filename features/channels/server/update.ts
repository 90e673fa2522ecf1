import { CHANNEL_STATUS } from '#contract/enums.ts'
import type { ApiContext } from '#server/api/context.ts'
import { CHANNEL_KEY_PURPOSE } from '#server/core/crypto.ts'
import type { ChannelRow } from '#server/db/channels/channels.ts'
import type { ChannelChange, TagChange } from '../contract/channels.ts'
import { checkChannel, hasSeveralKeys, parseKeys, toColumns } from './channel-input.ts'
import { channelError } from './errors.ts'
import { type ChannelEdit, checkStoredKey, logDestinationChange } from './key-destination.ts'
import { getChannelRow, lockChannelRow, writeChannels } from './models/abilities.ts'
import { logReviewed } from './models/allow-again.ts'
import { type ChannelUpdate, updateChannels } from './queries/channels.ts'

type ChannelUpdateDeps = Pick<ApiContext, 'db' | 'registry' | 'secrets' | 'caller' | 'requestId'>

/**
 * Updates the fields that are present. A blank key keeps the stored one, which needs the same destination as before.
 * Throws `channel.*` errors.
 */
export async function updateChannel(change: ChannelChange, context: ChannelUpdateDeps): Promise<ChannelRow> {
  const { db } = context
  await writeChannels(db, async tx => {
    const before = await lockChannelRow(tx, change.id)
    const columns = toColumns(change)
    const isStatusOnly = Object.keys(columns).length === 0 && !change.key?.trim()
    const edit = { before, after: { ...before, ...columns } }
    const key = isStatusOnly ? {} : toKeyColumns(change.key ?? '', edit, context)
    await logDestinationChange(tx, edit, context)
    if (change.status === CHANNEL_STATUS.enabled) await logReviewed(tx, { ids: [change.id] }, context)
    return updateChannels(tx, { ids: [change.id] }, { ...columns, ...key, ...toStatusColumns(change) })
  })
  return getChannelRow(db, change.id)
}

function toKeyColumns(
  text: string,
  edit: ChannelEdit,
  { registry, secrets }: ChannelUpdateDeps,
): ChannelUpdate {
  const { before, after } = edit
  const provider = checkChannel(after, registry)
  const keys = parseKeys(text, provider, after.setting)
  // Without `several_keys` the stored lines would be sent as one key, which no provider accepts.
  const isStoredKeyKept = keys.length === 0 && provider.form?.key !== 'json' && disablesSeveralKeys(edit)
  if (keys.length > 1 || (isStoredKeyKept && secrets.decrypt(before.key_sealed).includes('\n')))
    throw channelError('one_key')
  const [key] = keys
  if (key !== undefined)
    return { key_sealed: secrets.encrypt(key), key_hash: secrets.hash(CHANNEL_KEY_PURPOSE, key) }
  checkStoredKey(edit, registry)
  return {}
}

const disablesSeveralKeys = ({ before, after }: ChannelEdit): boolean =>
  hasSeveralKeys(before.setting) && !hasSeveralKeys(after.setting)

/** Only the gateway sets `autoDisabled`, so the value is ignored here. Enabling clears the reason in `other_info`. */
function toStatusColumns({ status }: Pick<ChannelChange, 'status'>): ChannelUpdate {
  if (status === undefined || status === CHANNEL_STATUS.autoDisabled) return {}
  return status === CHANNEL_STATUS.enabled ? { status, other_info: '' } : { status }
}

/** Applies the same fields, none of which decides where a key is sent, to several channels. Returns their number. */
export async function updateManyChannels(
  ids: readonly number[],
  change: ManyChannelsChange,
  { db, ...context }: Pick<ChannelUpdateDeps, 'db' | 'caller' | 'requestId'>,
): Promise<number> {
  const columns = { ...toColumns(change), ...toStatusColumns(change) }
  if (columns.group === '') throw channelError('groups_needed')
  const changed = await writeChannels(db, async tx => {
    if (change.status === CHANNEL_STATUS.enabled) await logReviewed(tx, { ids }, context)
    return updateChannels(tx, { ids }, columns)
  })
  return changed.length
}

type ManyChannelsChange = Pick<
  ChannelChange,
  'status' | 'group' | 'groups' | 'tag' | 'priority' | 'weight' | 'auto_ban'
>

/** Updates every channel of a tag and returns their number. Throws `channel.unknown_tag` when there is none. */
export async function updateTag(
  { tag, ...change }: TagChange,
  { db }: Pick<ChannelUpdateDeps, 'db'>,
): Promise<number> {
  const { new_tag, models, groups, model_mapping, priority, weight } = change
  const columns: ChannelUpdate = {
    ...(new_tag !== undefined && new_tag !== tag && { tag: new_tag }),
    ...(models && { models }),
    ...(groups && { group: groups }),
    ...(model_mapping && { model_mapping }),
    ...(priority !== undefined && { priority }),
    ...(weight !== undefined && { weight }),
  }
  if (Object.keys(columns).length === 0) throw channelError('nothing_to_change')
  const ids = await writeChannels(db, tx => updateChannels(tx, { tag }, columns))
  if (ids.length === 0) throw channelError('unknown_tag')
  return ids.length
}
