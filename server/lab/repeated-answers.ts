const ENTRIES_MAX = 256
const REQUEST_LETTERS_MAX = 8192

/**
 * Whole answers of requests without faults, by path, query and body. The lab answers the same request with the same bytes,
 * so that a benchmark measures the gateway and not its upstream.
 */
export interface RepeatedAnswers {
  find(address: string, body: string): string | undefined
  keep(address: string, body: string, answer: string): void
}

export function openRepeatedAnswers(): RepeatedAnswers {
  const answers = new Map<string, string>()
  return {
    find: (address, body) => (body.length <= REQUEST_LETTERS_MAX ? answers.get(address + body) : undefined),
    keep(address, body, answer) {
      if (body.length <= REQUEST_LETTERS_MAX && answers.size < ENTRIES_MAX)
        answers.set(address + body, answer)
    },
  }
}
