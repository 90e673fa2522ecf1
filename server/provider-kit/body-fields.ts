import { isKnownField, MODEL_FIELD } from './body-terms.ts'
import { isObject, type JsonObject } from './json.ts'

/** The folded names of a schema's fields. */
const foldedNames = new WeakMap<object, ReadonlySet<string>>()

/**
 * Go's JSON decoder ignores case, so a provider may read `Model` where we read `model`, or the last of both. It folds
 * letters such as the Kelvin sign too. Source: pkg.go.dev/encoding/json#Unmarshal
 */
const fold = (name: string): string => name.toUpperCase().toLowerCase()

/**
 * The first key that differs only by case from a field of the schema or from another key. Undefined when there is none.
 */
export function findAmbiguousKey(value: object, shape: object): string | undefined {
  const known = getFoldedNames(shape)
  const unknown = new Set<string>()
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(shape, name)) continue
    const folded = fold(name)
    if (known.has(folded) || unknown.has(folded)) return name
    unknown.add(folded)
  }
  return undefined
}

function getFoldedNames(shape: object): ReadonlySet<string> {
  const found = foldedNames.get(shape)
  if (found) return found
  const names = new Set(Object.keys(shape).map(fold))
  foldedNames.set(shape, names)
  return names
}

/** Whose own fields count as those of the body, as SDKs and servers merge them. */
const MERGED_FIELD = /^(extra_?body|google|session|response)$/i

/** Whether a field may be one that only its provider knows. `isMeant`: of values that matter to the reader. */
type IsMeant = (value: unknown, field: string) => boolean

const isUnknown = (field: string, value: unknown, isMeant: IsMeant): boolean =>
  (!isKnownField(field) || (MERGED_FIELD.test(field) && typeof value === 'string')) &&
  !MODEL_FIELD.test(field) &&
  isMeant(value, field)

/** A field of the body that no documentation lists. What a server makes of it is unknown. */
export function findUnknownField(body: object, isMeant: IsMeant): string | undefined {
  if (Array.isArray(body)) return findIn(body, isMeant)
  for (const [field, value] of Object.entries(body)) {
    if (isUnknown(field, value, isMeant)) return field
    const found = isMerged(field, value) ? findUnknownField(value, isMeant) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

function findIn(list: readonly unknown[], isMeant: IsMeant): string | undefined {
  for (const entry of list) {
    const found = isObjectOrList(entry) ? findUnknownField(entry, isMeant) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

const isObjectOrList = (value: unknown): value is object => typeof value === 'object' && value !== null
const isMerged = (field: string, value: unknown): value is object =>
  MERGED_FIELD.test(field) && isObjectOrList(value)

/** The body without the fields that `findUnknownField` finds. */
export const withoutUnknownFields = (body: JsonObject, isMeant: IsMeant): JsonObject =>
  Object.fromEntries(
    Object.entries(body)
      .filter(([field, value]) => !isUnknown(field, value, isMeant))
      .map(([field, value]) => [field, isMerged(field, value) ? withoutUnknownIn(value, isMeant) : value]),
  )

const withoutUnknownIn = (value: unknown, isMeant: IsMeant): unknown =>
  Array.isArray(value)
    ? value.map(entry => withoutUnknownIn(entry, isMeant))
    : isObject(value)
      ? withoutUnknownFields(value, isMeant)
      : value
