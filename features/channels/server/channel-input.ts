import { z } from 'zod'
import { ChannelFields } from '#contract/entities/channels/channel-fields.ts'
import { findPriceListProblem } from '#contract/entities/channels/purchase-prices.ts'
import { type Cells, toCells } from '#contract/entities/stored.ts'
import { distinctNames } from '#contract/fields.ts'
import type { ChannelRow } from '#server/db/channels/channels.ts'
import type { Provider } from '#server/provider-kit/contract/provider.ts'
import type { Registry } from '#server/providers/registry.ts'
import type { ChannelDraft } from '../contract/channels.ts'
import { channelError } from './errors.ts'

type CheckedChannel = Pick<
  ChannelRow,
  'type' | 'name' | 'base_url' | 'other' | 'models' | 'group' | 'setting'
>

/** Returns the provider of a channel. Throws a `channel.*` error when the channel could not serve requests. */
export function checkChannel(channel: CheckedChannel, registry: Registry): Provider {
  const provider = registry.byType(channel.type)
  if (!provider) throw channelError('unknown_type', { type: channel.type })
  if (channel.name === '') throw channelError('name_needed')
  if (channel.models === '') throw channelError('models_needed')
  if (channel.group === '') throw channelError('groups_needed')
  checkBaseUrl(channel, provider)
  checkPurchasePrices(channel.setting)
  const { form } = provider
  if (form?.other?.isRequired && channel.other.trim() === '')
    throw channelError('other_needed', { ...form.other.label })
  return provider
}

const PurchaseSetting = z.object({ purchase_prices: z.record(z.string(), z.unknown()).optional() })

/** Throws `channel.purchase_prices` with the model and the reason when a price list in the setting JSON cannot be used. */
function checkPurchasePrices(setting: string): void {
  const { purchase_prices = {} } = PurchaseSetting.parse(setting === '' ? {} : JSON.parse(setting))
  for (const [model, list] of Object.entries(purchase_prices)) {
    const problem = findPriceListProblem(list)
    if (problem) throw channelError('purchase_prices', { model, ...problem })
  }
}

/** Throws `channel.base_url_needed` when neither the channel nor its provider has a base URL. */
export function checkBaseUrl(
  { base_url }: Pick<CheckedChannel, 'base_url'>,
  { form, baseUrl }: Provider,
): void {
  if (form?.baseUrl === 'required' && base_url === '' && baseUrl === '') throw channelError('base_url_needed')
}

/**
 * Splits the key field into keys, one for each channel to create: one per line. The whole text is a single key when the
 * provider's key is a JSON document, or when the setting says `several_keys` (then one channel rotates over the lines).
 */
export function parseKeys(text: string, { form }: Provider, setting = ''): readonly string[] {
  if (form?.key === 'json') return parseJsonKey(text.trim())
  const lines = distinctLines(text)
  return hasSeveralKeys(setting) && lines.length > 0 ? [lines.join('\n')] : lines
}

/** Whether the setting JSON makes one channel rotate over the lines of its key. */
export const hasSeveralKeys = (setting: string): boolean => {
  const parsed: unknown = setting === '' ? {} : JSON.parse(setting)
  return (
    typeof parsed === 'object' && parsed !== null && 'several_keys' in parsed && parsed.several_keys === true
  )
}

const ProxySetting = z.object({ proxy: z.string().optional() })

/** The proxy in the setting JSON; empty for none. */
export const readProxy = (setting: string): string =>
  ProxySetting.parse(setting === '' ? {} : JSON.parse(setting)).proxy ?? ''

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

export type ChannelColumns = Partial<Cells<typeof ChannelFields.shape>>

/** The columns that a body sets. `groups` is read only when `group` is absent. */
export function toColumns(body: ChannelDraft): ChannelColumns {
  const groups =
    body.group === undefined && body.groups ? { group: distinctNames(body.groups).join(',') } : {}
  return { ...toCells(ChannelFields, body), ...groups }
}
