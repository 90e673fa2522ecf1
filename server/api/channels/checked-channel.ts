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

/** The keys in the text that was sent: one a line, or, where the vendor's key is a JSON document, all of it. */
export function keysOf(text: string, { form }: Provider): readonly string[] {
  const trimmed = text.trim()
  if (form?.key !== 'json')
    return [
      ...new Set(
        trimmed
          .split('\n')
          .map(line => line.trim())
          .filter(line => line !== ''),
      ),
    ]
  if (trimmed !== '' && !isJson(trimmed)) throw refuse('key_not_json')
  return trimmed === '' ? [] : [trimmed]
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}
