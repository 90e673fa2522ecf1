import type { RowOutcome } from '#contract/endpoint.ts'
import { ApiError } from '../core/api-error.ts'
import type { ApiContext } from './context.ts'

/** Does the same to each row, one after another. A row that is refused is told of, and the others go on. */
export async function eachRow(
  ids: readonly number[],
  { language }: Pick<ApiContext, 'language'>,
  work: (id: number) => Promise<unknown>,
): Promise<RowOutcome[]> {
  const rows: RowOutcome[] = []
  for (const id of new Set(ids)) {
    const refusal = await refusalOf(() => work(id))
    rows.push({
      id,
      success: refusal === undefined,
      code: refusal?.code ?? '',
      message: refusal?.in(language) ?? '',
    })
  }
  return rows
}

async function refusalOf(work: () => Promise<unknown>): Promise<ApiError | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}
