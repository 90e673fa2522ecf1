import type { TokenDraft } from '#contract/tokens.ts'

const SUFFIX_LENGTH = 6
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Six random letters or digits. */
export function randomSuffix(): string {
  const numbers = crypto.getRandomValues(new Uint32Array(SUFFIX_LENGTH))
  return [...numbers].map(number => LETTERS[number % LETTERS.length]).join('')
}

/** The first keeps its name, the others get a dash and a suffix. */
export const draftsOf = (draft: TokenDraft, count: number, suffix = randomSuffix): readonly TokenDraft[] =>
  Array.from({ length: count }, (_, index) =>
    index === 0 ? draft : { ...draft, name: `${draft.name}-${suffix()}` },
  )

export interface BatchFailure {
  readonly draft: TokenDraft
  readonly error: unknown
}

export interface BatchResult<Made> {
  readonly made: readonly Made[]
  readonly failed: readonly BatchFailure[]
}

/** Creates one after the other. What fails is listed with its name, so that only those are tried again. */
export async function createBatch<Made>(
  drafts: readonly TokenDraft[],
  create: (draft: TokenDraft) => Promise<Made>,
  onProgress: (done: number) => void,
): Promise<BatchResult<Made>> {
  const made: Made[] = []
  const failed: BatchFailure[] = []
  for (const draft of drafts) {
    try {
      made.push(await create(draft))
    } catch (error) {
      failed.push({ draft, error })
    }
    onProgress(made.length + failed.length)
  }
  return { made, failed }
}
