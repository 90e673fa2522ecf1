/**
 * The model name to send: follows a channel's mapping until a name has no entry or maps to itself. Undefined when the
 * mapping is circular.
 */
export function mapModel(mapping: Readonly<Record<string, string>>, requested: string): string | undefined {
  const followedNames = [requested]
  let name = requested
  for (;;) {
    const next = Object.hasOwn(mapping, name) ? mapping[name] : undefined
    if (next === undefined || next === '' || next === name) return name
    if (followedNames.includes(next)) return undefined
    followedNames.push(next)
    name = next
  }
}
