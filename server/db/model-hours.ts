import type { Database } from './database.ts'

const CONSUMPTION = 2

export interface ModelHour {
  readonly model_name: string
  /** Unix seconds of the hour's start. */
  readonly hour: number
  readonly tokens: number
  readonly count: number
  readonly quota: number
}

interface Wanted {
  /** Undefined: all users together. */
  readonly userId: number | undefined
  /** Unix seconds, both included. */
  readonly from: number
  readonly to: number
  readonly limit: number
}

/** What each model was used in each hour: the newest hours when there are more than `limit` rows, oldest first. */
export async function listModelHours(db: Database, wanted: Wanted): Promise<ModelHour[]> {
  const { userId, from, to, limit } = wanted
  const rows = await db
    .selectFrom('usage_hours')
    .select(select => [
      'model_name',
      'hour',
      select.fn.sum<number>('prompt_tokens').as('prompt'),
      select.fn.sum<number>('completion_tokens').as('completion'),
      select.fn.sum<number>('count').as('count'),
      select.fn.sum<number>('quota').as('quota'),
    ])
    .where('type', '=', CONSUMPTION)
    .where('hour', '>=', from)
    .where('hour', '<=', to)
    .$if(userId !== undefined, query => query.where('user_id', '=', userId ?? 0))
    .groupBy(['model_name', 'hour'])
    .orderBy('hour', 'desc')
    .orderBy('model_name', 'desc')
    .limit(limit)
    .execute()
  return rows.toReversed().map(row => ({
    model_name: row.model_name,
    hour: Number(row.hour),
    tokens: Number(row.prompt) + Number(row.completion),
    count: Number(row.count),
    quota: Number(row.quota),
  }))
}
