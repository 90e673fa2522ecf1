const ENTRIES_MAX = 256
const REQUEST_LETTERS_MAX = 8192

/**
 * Whole answers of requests without faults, by path, query and body. The lab answers the same request with the same bytes,
 * so that a benchmark measures the gateway and not its upstream.
 */
export interface ResponseCache {
  find(address: string, body: string): string | undefined
  keep(address: string, body: string, reply: string): void
}

export function createResponseCache(): ResponseCache {
  const replies = new Map<string, string>()
  return {
    find: (address, body) => (body.length <= REQUEST_LETTERS_MAX ? replies.get(address + body) : undefined),
    keep(address, body, reply) {
      if (body.length <= REQUEST_LETTERS_MAX && replies.size < ENTRIES_MAX) replies.set(address + body, reply)
    },
  }
}
