import { useState } from 'react'
import type { Token, TokenDraft } from '#contract/tokens.ts'
import { type BatchFailure, createBatch } from './batch.ts'
import { useTokenWrites } from './queries.ts'

export interface Batch {
  readonly isRunning: boolean
  readonly done: number
  readonly count: number
  readonly made: readonly Token[]
  readonly failed: readonly BatchFailure[]
  readonly run: (drafts: readonly TokenDraft[]) => Promise<void>
  /** Only those that failed, under their own names. */
  readonly retry: () => Promise<void>
  /** Content with those that were created. */
  readonly keep: () => void
}

/** Creates tokens one after the other and keeps count, so that a failure in the middle loses nothing. */
export function useBatch(onDone: (made: readonly Token[]) => void): Batch {
  const { create, refresh } = useTokenWrites()
  const [isRunning, setRunning] = useState(false)
  const [progress, setProgress] = useState({ done: 0, count: 0 })
  const [made, setMade] = useState<readonly Token[]>([])
  const [failed, setFailed] = useState<readonly BatchFailure[]>([])

  const run = async (drafts: readonly TokenDraft[]) => {
    setRunning(true)
    setProgress({ done: 0, count: drafts.length })
    const result = await createBatch(drafts, create.mutateAsync, done =>
      setProgress({ done, count: drafts.length }),
    )
    const all = [...made, ...result.made]
    setMade(all)
    setFailed(result.failed)
    setRunning(false)
    await refresh()
    if (result.failed.length === 0) onDone(all)
  }

  return {
    isRunning,
    ...progress,
    made,
    failed,
    run,
    retry: () => run(failed.map(({ draft }) => draft)),
    keep: () => onDone(made),
  }
}
