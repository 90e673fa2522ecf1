interface RunEachOptions<Item> {
  /** Number of items processed at a time. */
  readonly concurrency: number
  /** Aborting starts no further items. Running items stop when `work` honours the signal. */
  readonly signal: AbortSignal
  /** Called after each item; `error` is undefined on success. Not called for aborted items. */
  readonly onSettled: (item: Item, error: unknown) => void
}

/** Runs `work` for each item with limited concurrency. A failure does not stop the others; never rejects. */
export async function runEach<Item>(
  items: readonly Item[],
  work: (item: Item, signal: AbortSignal) => Promise<unknown>,
  { concurrency, signal, onSettled }: RunEachOptions<Item>,
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
  const worker = async () => {
    for (const item of waiting) {
      if (signal.aborted) return
      await one(item)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
}
