/** The keys of a channel's setting that have fields of their own, and the rest of its JSON. */
export interface SettingFields {
  /** The lines of the key are several keys of this one channel. */
  readonly isSeveral: boolean
  /** Whole numbers as they are typed; 0 is no limit. */
  readonly concurrency: string
  readonly perMinute: string
  /** JSON text as it was stored when none of the fields is set. */
  readonly setting: string
}

const objectOf = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const read: unknown = JSON.parse(text.trim() === '' ? '{}' : text)
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? { ...read } : undefined
  } catch {
    return undefined
  }
}

const limitText = (stored: unknown): string => (typeof stored === 'number' ? String(stored) : '0')

export function fieldsOf(stored: string): SettingFields {
  const { several_keys, max_concurrency, requests_per_minute, ...rest } = objectOf(stored) ?? {}
  const hasFields = [several_keys, max_concurrency, requests_per_minute].some(value => value !== undefined)
  const left = Object.keys(rest).length === 0 ? '' : JSON.stringify(rest, undefined, 2)
  return {
    isSeveral: several_keys === true,
    concurrency: limitText(max_concurrency),
    perMinute: limitText(requests_per_minute),
    setting: hasFields ? left : stored,
  }
}

/** The fields and the rest as one JSON text. What stands in both is the fields'. A broken rest stays as it is. */
export function settingOf({ isSeveral, concurrency, perMinute, setting }: SettingFields): string {
  const rest = objectOf(setting)
  const fields = {
    ...(isSeveral && { several_keys: true }),
    ...(Number(concurrency) > 0 && { max_concurrency: Number(concurrency) }),
    ...(Number(perMinute) > 0 && { requests_per_minute: Number(perMinute) }),
  }
  if (!rest || Object.keys(fields).length === 0) return setting.trim()
  return JSON.stringify({ ...rest, ...fields }, undefined, 2)
}

/** Whether two settings say the same, however they are written. */
export function isSameSetting(one: string, other: string): boolean {
  const [a, b] = [one, other].map(objectOf)
  return one === other || (a !== undefined && b !== undefined && sorted(a) === sorted(b))
}

const sorted = (read: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(Object.entries(read).toSorted(([a], [b]) => (a < b ? -1 : 1)))
