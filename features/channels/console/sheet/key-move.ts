import { z } from 'zod'
import type { Channel, ChannelType } from '../../contract/channels.ts'
import { isKeyBoundTo, type KeyDestination, keyDestination } from '../../contract/key-destination.ts'

/** The fields of the form that decide where the key is sent. */
interface AddressValues {
  readonly type: string
  readonly base_url: string
  readonly setting: string
}

/** Where the stored key is bound to, and where the form would send it. */
export interface KeyMove {
  readonly from: string
  readonly to: string
}

/** Undefined while the edited channel may keep its stored key. Mirrors the rule by which the server accepts a change. */
export function findKeyMove(
  stored: Channel | undefined,
  values: AddressValues,
  types: ReadonlyMap<number, ChannelType>,
): KeyMove | undefined {
  if (!stored) return undefined
  const from = destinationOf({ ...stored, type: String(stored.type) }, types)
  const to = destinationOf(values, types)
  return isKeyBoundTo(from, to) ? undefined : { from: toText(from, types), to: toText(to, types) }
}

/** The missing input of the key field: a first key, or the key again for another destination. Undefined: none. */
export function findMissingKey(
  stored: Channel | undefined,
  values: AddressValues & { readonly key: string },
  types: ReadonlyMap<number, ChannelType>,
): 'first' | 'again' | undefined {
  if (values.key.trim() !== '') return undefined
  if (!stored) return 'first'
  return findKeyMove(stored, values, types) ? 'again' : undefined
}

function destinationOf(
  { type, base_url, setting }: AddressValues,
  types: ReadonlyMap<number, ChannelType>,
): KeyDestination {
  const provider = types.get(Number(type))
  return keyDestination({
    type: Number(type),
    baseUrl: provider?.form.base_url === 'hidden' ? '' : base_url.trim(),
    defaultBaseUrl: provider?.base_url ?? '',
    proxy: readProxy(setting),
  })
}

const ProxySetting = z.object({ proxy: z.string().catch('') })

function readProxy(setting: string): string {
  try {
    return ProxySetting.safeParse(JSON.parse(setting)).data?.proxy ?? ''
  } catch {
    return ''
  }
}

function toText({ type, origin, proxy }: KeyDestination, types: ReadonlyMap<number, ChannelType>): string {
  const provider = types.get(type)?.name ?? ''
  return [provider, origin, proxy && `proxy ${proxy}`].filter(part => part !== '').join(' · ')
}
