import { sleepMs } from '#server/core/clock.ts'

const POLL_MS = 25

interface Wait {
  /** Awaited condition, for the error message. */
  readonly description: string
  readonly timeoutMs: number
}

/** Polls until `question` returns something other than false or undefined. Throws after the timeout. */
export async function waitUntil<T>(
  { description, timeoutMs }: Wait,
  question: () => Promise<T | false | undefined> | T | false | undefined,
): Promise<T> {
  const deadline = performance.now() + timeoutMs
  while (performance.now() < deadline) {
    const response = await question()
    if (response !== false && response !== undefined) return response
    await sleepMs(POLL_MS)
  }
  throw new Error(`waited ${timeoutMs} ms in vain for ${description}`)
}
