/** Any JSON object. */
export type JsonObject = { readonly [name: string]: unknown }

/**
 * Lenient readers for JSON from providers. Providers send null, omit fields and change types, so a missing or unexpected
 * value reads as empty instead of failing a response that has been paid for.
 */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const EMPTY_OBJECT: JsonObject = {}
const EMPTY_LIST: readonly unknown[] = []

/** The value, or an empty object for anything else. */
export const asObject = (value: unknown): JsonObject => (isObject(value) ? value : EMPTY_OBJECT)
/** The value, or an empty list for anything else. */
export const asArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : EMPTY_LIST)
/** The value, or undefined for anything but a string. */
export const asString = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined
/** A count: 0 for anything but a positive finite number, rounded down. */
export const asCount = (value: unknown): number =>
  typeof value === 'number' && value > 0 && Number.isFinite(value) ? Math.floor(value) : 0

/** Undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type Present<Fields> = { readonly [Name in keyof Fields]?: NonNullable<Fields[Name]> }

/** The fields that have a value. The cast is safe because null and undefined have just been filtered out. */
export const omitNullish = <Fields extends object>(fields: Fields): Present<Fields> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  ) as Present<Fields>
