import { useState } from 'react'
import type { Token, TokenDraft } from '#contract/entities/token.ts'
import { useTokenMutations } from './queries.ts'

const SUFFIX_LENGTH = 6
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Six random letters and digits. */
export function randomSuffix(): string {
  const numbers = crypto.getRandomValues(new Uint32Array(SUFFIX_LENGTH))
  return [...numbers].map(number => LETTERS[number % LETTERS.length]).join('')
}

/** Copies of a draft for a batch. The first keeps the name; the others get a dash and a random suffix. */
export const batchDrafts = (draft: TokenDraft, count: number, suffix = randomSuffix): readonly TokenDraft[] =>
  Array.from({ length: count }, (_, index) =>
    index === 0 ? draft : { ...draft, name: `${draft.name}-${suffix()}` },
  )

interface BatchFailure {
  readonly draft: TokenDraft
  readonly error: unknown
}

interface BatchResult<Created> {
  readonly created: readonly Created[]
  readonly failed: readonly BatchFailure[]
}

/** Creates the tokens one after another. Failures are returned with their drafts, so that a retry repeats only those. */
export async function createBatch<Created>(
  drafts: readonly TokenDraft[],
  create: (draft: TokenDraft) => Promise<Created>,
  onProgress: (done: number) => void,
): Promise<BatchResult<Created>> {
  const created: Created[] = []
  const failed: BatchFailure[] = []
  for (const draft of drafts) {
    try {
      created.push(await create(draft))
    } catch (error) {
      failed.push({ draft, error })
    }
    onProgress(created.length + failed.length)
  }
  return { created, failed }
}

export interface Batch {
  readonly isRunning: boolean
  readonly done: number
  readonly count: number
  readonly created: readonly Token[]
  readonly failed: readonly BatchFailure[]
  readonly run: (drafts: readonly TokenDraft[]) => Promise<void>
  /** Creates the failed tokens again, under the same names. */
  readonly retry: () => Promise<void>
  /** Gives up on the failed tokens and finishes with the created ones. */
  readonly keep: () => void
}

/** Runs a batch of new tokens and tracks its progress. A failure does not affect the tokens already created. */
export function useBatch(onDone: (created: readonly Token[]) => void): Batch {
  const { create, refresh } = useTokenMutations()
  const [isRunning, setRunning] = useState(false)
  const [progress, setProgress] = useState({ done: 0, count: 0 })
  const [created, setCreated] = useState<readonly Token[]>([])
  const [failed, setFailed] = useState<readonly BatchFailure[]>([])

  const run = async (drafts: readonly TokenDraft[]) => {
    setRunning(true)
    setProgress({ done: 0, count: drafts.length })
    const result = await createBatch(drafts, create.mutateAsync, done =>
      setProgress({ done, count: drafts.length }),
    )
    const all = [...created, ...result.created]
    setCreated(all)
    setFailed(result.failed)
    setRunning(false)
    await refresh()
    if (result.failed.length === 0) onDone(all)
  }

  return {
    isRunning,
    ...progress,
    created,
    failed,
    run,
    retry: () => run(failed.map(({ draft }) => draft)),
    keep: () => onDone(created),
  }
}
