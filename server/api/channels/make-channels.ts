import { CHANNELS_AT_ONCE_MAX, type ChannelDraft } from '#contract/channels/channels.ts'
import { nowSeconds } from '../../core/clock.ts'
import { CHANNEL_KEY_PURPOSE } from '../../core/crypto.ts'
import { type ChannelRow, insertChannel, listSimilarChannels } from '../../db/channels.ts'
import type { ApiContext } from '../context.ts'
import { checkChannel, keysOf } from './checked-channel.ts'
import { type Columns, columnsOf } from './columns-of.ts'
import { getChannelRow, rebuildAndRead } from './read-channels.ts'
import { refuse } from './refuse.ts'

type Context = Pick<ApiContext, 'db' | 'registry' | 'secrets'>
type Configured = Required<Columns>

const BLANK: Configured = {
  type: 1,
  name: '',
  openai_organization: '',
  test_model: '',
  base_url: '',
  other: '',
  models: '',
  group: 'default',
  model_mapping: '',
  status_code_mapping: '',
  setting: '',
  param_override: '',
  tag: '',
  priority: 0,
  weight: 0,
  auto_ban: 1,
  max_input_tokens: 0,
}

/** Makes one channel for each key. A copy takes what was not sent, the key included, from its source. */
export async function makeChannels(draft: ChannelDraft, context: Context): Promise<readonly ChannelRow[]> {
  const { db, secrets } = context
  const { channel, keys } = await describe(draft, context)
  if (keys.length > CHANNELS_AT_ONCE_MAX) throw refuse('too_many_keys', { most: CHANNELS_AT_ONCE_MAX })
  const created_time = nowSeconds()
  return rebuildAndRead(db, async tx => {
    const ids: number[] = []
    for (const key of keys) {
      const key_hash = secrets.hash(CHANNEL_KEY_PURPOSE, key)
      ids.push(await insertChannel(tx, { ...channel, key_hash, key_sealed: secrets.encrypt(key), created_time }))
    }
    return ids
  })
}

interface Described {
  readonly channel: Configured
  /** At least one. */
  readonly keys: readonly [string, ...string[]]
}

/** The channel that a draft stands for. Throws a refusal when it could not work. */
export async function describe(draft: ChannelDraft, context: Context): Promise<Described> {
  const { registry, secrets } = context
  const source = await sourceOf(draft, context)
  const channel = { ...(source ? copied(source) : BLANK), ...columnsOf(draft) }
  const sent = keysOf(draft.key ?? '', checkChannel(channel, registry), channel.setting)
  const [first = source && secrets.decrypt(source.key_sealed), ...more] = sent
  if (first === undefined) throw refuse('key_needed')
  return { channel, keys: [first, ...more] }
}

/** Older consoles send a copy as a new channel without a key, which no list gives away, under the name with this behind it. */
const COPY_SUFFIX = /_(复制|copy)$/

/** The channel that the draft copies; undefined when it copies none. */
async function sourceOf(draft: ChannelDraft, { db }: Context): Promise<ChannelRow | undefined> {
  if (draft.copy_from !== undefined) return getChannelRow(db, draft.copy_from)
  const { name = '', key = '' } = draft
  if (key.trim() !== '' || !COPY_SUFFIX.test(name)) return undefined
  const copied = { ...BLANK, ...columnsOf(draft), name: name.replace(COPY_SUFFIX, '') }
  const [source, ...others] = await listSimilarChannels(db, copied, 2)
  return others.length === 0 ? source : undefined
}

/** What a copy takes over: what was configured, not what happened to the channel. */
const copied = (source: ChannelRow): Configured => ({
  type: source.type,
  name: `${source.name}_复制`,
  openai_organization: source.openai_organization,
  test_model: source.test_model,
  base_url: source.base_url,
  other: source.other,
  models: source.models,
  group: source.group,
  model_mapping: source.model_mapping,
  status_code_mapping: source.status_code_mapping,
  setting: source.setting,
  param_override: source.param_override,
  tag: source.tag,
  priority: source.priority,
  weight: source.weight,
  auto_ban: source.auto_ban,
  max_input_tokens: source.max_input_tokens,
})
