import { useRef, useState } from 'react'
import { Button } from '../../ui/buttons/buttons.tsx'
import { errorText } from '../api/call.ts'
import { useAppText } from '../app-text.ts'

const CONCURRENCY = 4

interface BulkFailure<Item> {
  readonly item: Item
  readonly error: unknown
}

export interface BulkRun<Item> {
  /** Undefined while idle. */
  readonly progress: { readonly done: number; readonly total: number } | undefined
  readonly failures: ReadonlyArray<BulkFailure<Item>>
  /** Runs up to four at a time. Resolves to the items that succeeded. */
  readonly run: (items: readonly Item[], work: (item: Item) => Promise<unknown>) => Promise<readonly Item[]>
  readonly stop: () => void
}

/** Runs one operation on many records, with progress and failures. */
export function useBulkRun<Item>(): BulkRun<Item> {
  const [progress, setProgress] = useState<BulkRun<Item>['progress']>()
  const [failures, setFailures] = useState<ReadonlyArray<BulkFailure<Item>>>([])
  const stopper = useRef<AbortController>(undefined)

  const run: BulkRun<Item>['run'] = async (items, work) => {
    const stopping = new AbortController()
    const done: Item[] = []
    const failed: BulkFailure<Item>[] = []
    stopper.current = stopping
    setFailures([])
    setProgress({ done: 0, total: items.length })
    await runEach(items, work, {
      concurrency: CONCURRENCY,
      signal: stopping.signal,
      onSettled: (item, error) => {
        if (error === undefined) done.push(item)
        else failed.push({ item, error })
        setProgress({ done: done.length + failed.length, total: items.length })
      },
    })
    setProgress(undefined)
    setFailures(failed)
    return done
  }

  return { progress, failures, run, stop: () => stopper.current?.abort() }
}

/** Progress of a bulk run, with a stop button. */
export function BulkProgress({ work }: { readonly work: Pick<BulkRun<never>, 'progress' | 'stop'> }) {
  const t = useAppText()
  if (!work.progress) return null
  return (
    <>
      <span role="status" className="tabular">
        {t('working', { done: work.progress.done, total: work.progress.total })}
      </span>
      <Button size="small" onClick={work.stop}>
        {t('stop')}
      </Button>
    </>
  )
}

interface BulkFailuresProps<Item> {
  readonly work: BulkRun<Item>
  readonly nameOf: (item: Item) => string
}

/** Failures of a bulk run, one record a line. */
export function BulkFailures<Item>({ work, nameOf }: BulkFailuresProps<Item>) {
  if (work.failures.length === 0 || work.progress) return null
  return (
    <ul role="alert" className="mb-3 grid gap-1 rounded-card bg-danger-bg px-4 py-2.5 text-small text-danger">
      {work.failures.map(({ item, error }) => (
        <li key={nameOf(item)}>
          <span className="font-medium">{nameOf(item)}</span> · {errorText(error)}
        </li>
      ))}
    </ul>
  )
}

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
