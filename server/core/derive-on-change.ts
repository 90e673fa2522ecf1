/** Reads a value that is derived from another, and derived again when that one is replaced. */
export function deriveOnChange<Source extends object, Value>(
  read: () => Source,
  derive: (source: Source) => Value,
): () => Value {
  let known: { readonly source: Source; readonly value: Value } | undefined
  return () => {
    const source = read()
    if (known?.source !== source) known = { source, value: derive(source) }
    return known.value
  }
}
