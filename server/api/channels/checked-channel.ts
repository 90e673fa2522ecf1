import type { ChannelRow } from '../../db/channels.ts'
import type { Provider } from '../../provider-kit/provider.ts'
import type { Registry } from '../../providers/registry.ts'
import { refuse } from './refuse.ts'

type Checked = Pick<ChannelRow, 'type' | 'name' | 'base_url' | 'other' | 'models' | 'group'>

/** Refuses a channel that could not work as it would be stored. Gives its vendor. */
export function checkChannel(channel: Checked, registry: Registry): Provider {
  const provider = registry.byType(channel.type)
  if (!provider) throw refuse('unknown_type', { type: channel.type })
  if (channel.name === '') throw refuse('name_needed')
  if (channel.models === '') throw refuse('models_needed')
  if (channel.group === '') throw refuse('groups_needed')
  checkAddress(channel, provider)
  const { form } = provider
  if (form?.other?.isRequired && channel.other.trim() === '')
    throw refuse('other_needed', { ...form.other.label })
  return provider
}

/** Refuses a channel without an address where its vendor has none of its own. */
export function checkAddress({ base_url }: Pick<Checked, 'base_url'>, { form, baseUrl }: Provider): void {
  if (form?.baseUrl === 'required' && base_url === '' && baseUrl === '') throw refuse('base_url_needed')
}

/**
 * The keys in the text that was sent, each for a channel of its own: one a line. Where the vendor's key is a JSON
 * document, or the lines are the keys of one channel, all of it.
 */
export function keysOf(text: string, { form }: Provider, setting = ''): readonly string[] {
  if (form?.key === 'json') return documentIn(text.trim())
  const lines = linesOf(text)
  return hasSeveralKeys(setting) && lines.length > 0 ? [lines.join('\n')] : lines
}

/** Whether a channel's setting says that the lines of its key are several keys. */
export const hasSeveralKeys = (setting: string): boolean => {
  const read: unknown = setting === '' ? {} : JSON.parse(setting)
  return typeof read === 'object' && read !== null && 'several_keys' in read && read.several_keys === true
}

const linesOf = (text: string): readonly string[] => [
  ...new Set(
    text
      .split('\n')
      .map(line => line.trim())
      .filter(line => line !== ''),
  ),
]

function documentIn(text: string): readonly string[] {
  if (text !== '' && !isJson(text)) throw refuse('key_not_json')
  return text === '' ? [] : [text]
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}
