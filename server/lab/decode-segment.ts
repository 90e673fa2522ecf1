/** A piece of a path without its percent signs; as it is where they mean nothing. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
