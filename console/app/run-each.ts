const AT_ONCE = 4

export interface EachFailure<Item> {
  readonly item: Item
  readonly error: unknown
}

export interface EachResult<Item> {
  readonly done: number
  readonly failed: ReadonlyArray<EachFailure<Item>>
}

/** Does the same for many, four at a time. What fails is listed and stops nothing; what has not begun when `signal` aborts is left out. */
export async function runEach<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
  signal?: AbortSignal,
): Promise<EachResult<Item>> {
  const waiting = [...items]
  const failed: EachFailure<Item>[] = []
  let done = 0
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined && !signal?.aborted; item = waiting.shift()) {
      try {
        await work(item)
        done += 1
      } catch (error) {
        failed.push({ item, error })
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return { done, failed }
}
