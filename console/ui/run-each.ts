export interface RunEachOptions<Item> {
  /** How many are under way at a time. */
  readonly atOnce: number
  /** Starts nothing more once it is aborted; what is under way is aborted too when `work` follows the signal. */
  readonly signal: AbortSignal
  /** After each item; `error` is undefined when it went well. Not called for what was stopped. */
  readonly onSettled: (item: Item, error: unknown) => void
}

/** Does the same work for each item, a few at a time. One failure does not stop the others; never rejects. */
export async function runEach<Item>(
  items: readonly Item[],
  work: (item: Item, signal: AbortSignal) => Promise<unknown>,
  { atOnce, signal, onSettled }: RunEachOptions<Item>,
): Promise<void> {
  const waiting = items.values()
  const one = async (item: Item) => {
    try {
      await work(item, signal)
      onSettled(item, undefined)
    } catch (error) {
      if (!signal.aborted) onSettled(item, error)
    }
  }
  const lane = async () => {
    for (const item of waiting) {
      if (signal.aborted) return
      await one(item)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
}
