import { useRef, useState } from 'react'
import { Button } from '../../ui/buttons/button.tsx'
import { errorText } from '../api/call.ts'
import { useAppText } from '../app-text.ts'

const AT_ONCE = 4

interface BulkFailure<Item> {
  readonly item: Item
  readonly error: unknown
}

export interface BulkWork<Item> {
  /** Undefined while nothing runs. */
  readonly progress: { readonly done: number; readonly total: number } | undefined
  readonly failures: ReadonlyArray<BulkFailure<Item>>
  /** Four at a time. Gives what was done; the rest failed or was stopped. */
  readonly run: (items: readonly Item[], work: (item: Item) => Promise<unknown>) => Promise<readonly Item[]>
  readonly stop: () => void
}

/** The same work for many records, with its progress and what went wrong. */
export function useBulkWork<Item>(): BulkWork<Item> {
  const [progress, setProgress] = useState<BulkWork<Item>['progress']>()
  const [failures, setFailures] = useState<ReadonlyArray<BulkFailure<Item>>>([])
  const stopper = useRef<AbortController>(undefined)

  const run: BulkWork<Item>['run'] = async (items, work) => {
    const stopping = new AbortController()
    const done: Item[] = []
    const failed: BulkFailure<Item>[] = []
    stopper.current = stopping
    setFailures([])
    setProgress({ done: 0, total: items.length })
    await runEach(items, work, {
      atOnce: AT_ONCE,
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

/** How far the work is, with a stop. */
export function BulkProgress({ work }: { readonly work: Pick<BulkWork<never>, 'progress' | 'stop'> }) {
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
  readonly work: BulkWork<Item>
  readonly nameOf: (item: Item) => string
}

/** What went wrong, one record a line. */
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
