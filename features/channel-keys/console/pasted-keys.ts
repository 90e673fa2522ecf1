import type { ChannelDraft, ChannelType } from '#features/channels/contract/channels.ts'

/** The distinct keys of pasted text, one for each line or word. */
export const keysOf = (text: string): readonly string[] => [
  ...new Set(text.split(/[\s,，;；]+/).filter(word => word !== '')),
]

/** The beginning and the end, enough to tell one's own keys apart. */
export const shortKey = (key: string): string =>
  key.length > 16 ? `${key.slice(0, 8)}…${key.slice(-4)}` : '…'

/** Whether a key is all that a channel of this provider needs. */
export const needsOnlyKey = ({ form }: ChannelType): boolean =>
  form.key === 'text' &&
  form.base_url !== 'required' &&
  !(form.other?.is_required && !form.other.default_value)

/** The provider that alone issues keys of this form. */
export function recognizeType(key: string, types: readonly ChannelType[]): ChannelType | undefined {
  const found = types.filter(
    type => type.key_pattern !== '' && needsOnlyKey(type) && new RegExp(type.key_pattern).test(key),
  )
  return found.length === 1 ? found[0] : undefined
}

/**
 * The current models of the provider that the account has; all of the account where none is known. The order is that
 * of the provider's models: newest first.
 */
export function modelsToOffer(type: ChannelType, account: readonly string[]): readonly string[] {
  const has = new Set(account)
  const known = type.models.filter(model => has.has(model))
  if (known.length > 0) return known
  return account.length > 0 ? account : type.models
}

export interface KeyedChannel {
  readonly key: string
  readonly type: ChannelType
  readonly models: readonly string[]
}

/** A second key of a provider gets a number behind the name. The purchase price is the provider's list price. */
export function toDrafts(channels: readonly KeyedChannel[]): readonly ChannelDraft[] {
  const named = new Map<string, number>()
  return channels.map(({ key, type, models }) => {
    const number = (named.get(type.name) ?? 0) + 1
    named.set(type.name, number)
    return {
      type: type.type,
      name: number === 1 ? type.name : `${type.name} ${number}`,
      key,
      models: models.join(','),
      setting: JSON.stringify({ purchase_factor: 1 }),
      ...(type.form.other?.default_value && { other: type.form.other.default_value }),
    }
  })
}
