import type { ChannelRow, ChannelUpdate } from '../../db/channels/channels.ts'
import type { Provider } from '../../provider-kit/contract/provider.ts'
import type { Registry } from '../../providers/registry.ts'
import { channelError } from './refuse.ts'
import type { ChannelDraft } from '#contract/channels/channels.ts'
import { distinctNames } from '#contract/fields.ts'

type CheckedChannel = Pick<ChannelRow, 'type' | 'name' | 'base_url' | 'other' | 'models' | 'group'>

/** Refuses a channel that could not work as it would be stored. Gives its vendor. */
export function checkChannel(channel: CheckedChannel, registry: Registry): Provider {
  const provider = registry.byType(channel.type)
  if (!provider) throw channelError('unknown_type', { type: channel.type })
  if (channel.name === '') throw channelError('name_needed')
  if (channel.models === '') throw channelError('models_needed')
  if (channel.group === '') throw channelError('groups_needed')
  checkBaseUrl(channel, provider)
  const { form } = provider
  if (form?.other?.isRequired && channel.other.trim() === '')
    throw channelError('other_needed', { ...form.other.label })
  return provider
}

/** Refuses a channel without an address where its vendor has none of its own. */
export function checkBaseUrl({ base_url }: Pick<CheckedChannel, 'base_url'>, { form, baseUrl }: Provider): void {
  if (form?.baseUrl === 'required' && base_url === '' && baseUrl === '') throw channelError('base_url_needed')
}

/**
 * The keys in the text that was sent, each for a channel of its own: one a line. Where the vendor's key is a JSON
 * document, or the lines are the keys of one channel, all of it.
 */
export function parseKeys(text: string, { form }: Provider, setting = ''): readonly string[] {
  if (form?.key === 'json') return parseJsonKey(text.trim())
  const lines = distinctLines(text)
  return hasSeveralKeys(setting) && lines.length > 0 ? [lines.join('\n')] : lines
}

/** Whether a channel's setting says that the lines of its key are several keys. */
export const hasSeveralKeys = (setting: string): boolean => {
  const read: unknown = setting === '' ? {} : JSON.parse(setting)
  return typeof read === 'object' && read !== null && 'several_keys' in read && read.several_keys === true
}

const distinctLines = (text: string): readonly string[] => [
  ...new Set(
    text
      .split('\n')
      .map(line => line.trim())
      .filter(line => line !== ''),
  ),
]

function parseJsonKey(text: string): readonly string[] {
  if (text !== '' && !isJson(text)) throw channelError('key_not_json')
  return text === '' ? [] : [text]
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

/** Body fields that are columns of the same name. Whatever else is sent (ids, balances, times) is ignored. */
const CHANNEL_COLUMNS = [
  'type',
  'name',
  'openai_organization',
  'test_model',
  'base_url',
  'other',
  'models',
  'group',
  'model_mapping',
  'status_code_mapping',
  'setting',
  'param_override',
  'tag',
  'priority',
  'weight',
  'auto_ban',
  'max_input_tokens',
] as const

export type ChannelColumns = { [Column in (typeof CHANNEL_COLUMNS)[number]]?: NonNullable<ChannelUpdate[Column]> }

/** The columns that a body sets. `groups` counts where `group` was not sent. */
export function toColumns(body: ChannelDraft): ChannelColumns {
  const sent = CHANNEL_COLUMNS.flatMap(column =>
    body[column] === undefined ? [] : [[column, body[column]] as const],
  )
  const groups =
    body.group === undefined && body.groups ? { group: distinctNames(body.groups).join(',') } : {}
  return { ...Object.fromEntries(sent), ...groups }
}
