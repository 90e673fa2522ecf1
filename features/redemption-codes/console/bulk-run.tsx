import { useRef, useState } from 'react'
import { errorText } from '#console/app/api/call.ts'
import { useAppText } from '#console/app/app-text.ts'
import { runEach } from '#console/app/list/run-each.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'

const CONCURRENCY = 4

interface BulkFailure<Item> {
  readonly item: Item
  readonly error: unknown
}

interface BulkRun<Item> {
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
