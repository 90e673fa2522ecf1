/** Segments of unreserved characters, of which the first is none of the gateway's own. */
const BASE_PATH =
  /^(?!\/(api|docs|assets|oauth|lab|v\d\w*|openai|pg|rerank|dashboard|mj|mj-\w+|suno)(\/|$))(\/[\w~-][\w.~-]*)+$/i

/** A path below which the gateway is served, without a slash at its end; empty is the root. Undefined: it can be none. */
export function readBasePath(text: string): string | undefined {
  const path = text.trim().replace(/\/+$/, '')
  return path === '' || BASE_PATH.test(path) ? path : undefined
}
