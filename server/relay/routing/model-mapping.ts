/**
 * The name to send for a requested one: the channel's mapping is followed until it has no entry.
 * A name that maps to itself ends the chain. Undefined: the mapping runs in a circle.
 */
export function mapModel(mapping: Readonly<Record<string, string>>, requested: string): string | undefined {
  const seen = [requested]
  let name = requested
  for (;;) {
    const next = Object.hasOwn(mapping, name) ? mapping[name] : undefined
    if (next === undefined || next === '' || next === name) return name
    if (seen.includes(next)) return undefined
    seen.push(next)
    name = next
  }
}
