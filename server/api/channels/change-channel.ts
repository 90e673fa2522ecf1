import type { ChannelChange, TagChange } from '#contract/channels/channels.ts'
import { CHANNEL_KEY_PURPOSE } from '../../core/crypto.ts'
import { type ChannelRow, type ChannelUpdate, updateChannels } from '../../db/channels/channels.ts'
import type { ApiContext } from '../context.ts'
import { checkChannel, hasSeveralKeys, parseKeys, toColumns } from './checked-channel.ts'
import { writeChannels, getChannelRow } from './rebuild.ts'
import { channelError } from './refuse.ts'

const STATUS = { enabled: 1, disabledByGateway: 3 } as const

type ChannelUpdateDeps = Pick<ApiContext, 'db' | 'registry' | 'secrets'>

/** Changes what was sent of one channel. A blank key keeps the old one. */
export async function updateChannel(change: ChannelChange, context: ChannelUpdateDeps): Promise<ChannelRow> {
  const { db, registry } = context
  await writeChannels(db, async tx => {
    const before = await getChannelRow(tx, change.id)
    const columns = toColumns(change)
    const isStatusOnly = Object.keys(columns).length === 0 && !change.key?.trim()
    const key = isStatusOnly
      ? {}
      : toKeyColumns(change.key ?? '', { before, after: { ...before, ...columns } }, { ...context, registry })
    return updateChannels(tx, { ids: [change.id] }, { ...columns, ...key, ...toStatusColumns(change) })
  })
  return getChannelRow(db, change.id)
}

interface ChannelEdit {
  readonly before: ChannelRow
  readonly after: ChannelRow
}

function toKeyColumns(text: string, edit: ChannelEdit, { registry, secrets }: ChannelUpdateDeps): ChannelUpdate {
  const { before, after } = edit
  const provider = checkChannel(after, registry)
  const keys = parseKeys(text, provider, after.setting)
  const isLeft = keys.length === 0 && provider.form?.key !== 'json' && disablesSeveralKeys(edit)
  if (keys.length > 1 || (isLeft && secrets.decrypt(before.key_sealed).includes('\n'))) throw channelError('one_key')
  const [key] = keys
  return key === undefined
    ? {}
    : { key_sealed: secrets.encrypt(key), key_hash: secrets.hash(CHANNEL_KEY_PURPOSE, key) }
}

/** The lines that are stored are one key from now on, which no vendor would take. */
const disablesSeveralKeys = ({ before, after }: ChannelEdit): boolean =>
  hasSeveralKeys(before.setting) && !hasSeveralKeys(after.setting)

/** Disabling by the gateway is the gateway's own: sent back, it changes nothing. Enabling forgets its reason. */
function toStatusColumns({ status }: ChannelChange): ChannelUpdate {
  if (status === undefined || status === STATUS.disabledByGateway) return {}
  return status === STATUS.enabled ? { status, other_info: '' } : { status }
}

/** Changes all channels of a tag; gives how many there are. */
export async function updateTag({ tag, ...change }: TagChange, { db }: Pick<ChannelUpdateDeps, 'db'>): Promise<number> {
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
