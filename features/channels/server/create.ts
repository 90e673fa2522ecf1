import { ChannelFields } from '#contract/entities/channels/channel-fields.ts'
import { defaultsOf, toCells } from '#contract/entities/stored.ts'
import type { ApiContext } from '#server/api/context.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { CHANNEL_KEY_PURPOSE } from '#server/core/crypto.ts'
import type { ChannelRow } from '#server/db/channels/channels.ts'
import { CHANNELS_AT_ONCE_MAX, type ChannelDraft } from '../contract/channels.ts'
import { type ChannelColumns, checkChannel, parseKeys, toColumns } from './channel-input.ts'
import { channelError } from './errors.ts'
import { checkStoredKey } from './key-destination.ts'
import { getChannelRow, writeAndReadChannels } from './models/abilities.ts'
import { insertChannel, listSimilarChannels } from './queries/channels.ts'

type ChannelCreationDeps = Pick<ApiContext, 'db' | 'registry' | 'secrets'>
type ConfiguredColumns = Required<ChannelColumns>

const BLANK: ConfiguredColumns = {
  ...toCells(ChannelFields, defaultsOf(ChannelFields)),
  type: 1,
  name: '',
  models: '',
}

/**
 * Creates one channel per key. A copy takes absent fields from its source, and a blank key too while the copy sends it to
 * the same destination.
 */
export async function createChannels(
  draft: ChannelDraft,
  context: ChannelCreationDeps,
): Promise<readonly ChannelRow[]> {
  const { db, secrets } = context
  const { channel, keys } = await resolveDraft(draft, context)
  if (keys.length > CHANNELS_AT_ONCE_MAX) throw channelError('too_many_keys', { most: CHANNELS_AT_ONCE_MAX })
  const created_time = nowSeconds()
  return writeAndReadChannels(db, async tx => {
    const ids: number[] = []
    for (const key of keys) {
      const key_hash = secrets.hash(CHANNEL_KEY_PURPOSE, key)
      ids.push(
        await insertChannel(tx, { ...channel, key_hash, key_sealed: secrets.encrypt(key), created_time }),
      )
    }
    return ids
  })
}

interface ResolvedDraft {
  readonly channel: ConfiguredColumns
  /** The copied channel. */
  readonly source: ChannelRow | undefined
  readonly keys: readonly [string, ...string[]]
  /** The key is the source's, because the draft has none. */
  readonly usesStoredKey: boolean
}

/** Fills a draft with defaults or the copied channel. Throws a `channel.*` error when it could not serve requests. */
export async function resolveDraft(
  draft: ChannelDraft,
  context: ChannelCreationDeps,
): Promise<ResolvedDraft> {
  const { registry, secrets } = context
  const source = await findCopySource(draft, context)
  const channel = { ...(source ? copyColumns(source) : BLANK), ...toColumns(draft) }
  const keys = parseKeys(draft.key ?? '', checkChannel(channel, registry), channel.setting)
  const [first, ...more] = keys
  if (first !== undefined) return { channel, source, keys: [first, ...more], usesStoredKey: false }
  if (source === undefined) throw channelError('key_needed')
  checkStoredKey({ before: source, after: channel }, registry)
  return { channel, source, keys: [secrets.decrypt(source.key_sealed)], usesStoredKey: true }
}

/**
 * Older consoles copy a channel by creating one without a key (lists never contain keys) whose name has this suffix.
 */
const COPY_SUFFIX = /_(复制|copy)$/

async function findCopySource(
  draft: ChannelDraft,
  { db }: ChannelCreationDeps,
): Promise<ChannelRow | undefined> {
  if (draft.copy_from !== undefined) return getChannelRow(db, draft.copy_from)
  const { name = '', key = '' } = draft
  if (key.trim() !== '' || !COPY_SUFFIX.test(name)) return undefined
  const original = { ...BLANK, ...toColumns(draft), name: name.replace(COPY_SUFFIX, '') }
  // With two matches nobody can tell whose key is meant.
  const [source, ...others] = await listSimilarChannels(db, original, 2)
  return others.length === 0 ? source : undefined
}

/** A copy takes the configuration, not the statistics. */
const copyColumns = (source: ChannelRow): ConfiguredColumns => ({
  ...toCells(ChannelFields, source),
  name: `${source.name}_复制`,
})
