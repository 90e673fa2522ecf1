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
