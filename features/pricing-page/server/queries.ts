import { sql } from 'kysely'
import type { AbilityRow } from '#server/db/channels/abilities.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { TimeRange } from '#server/db/logs/log-filter.ts'
import { analyticsSource } from '#server/db/usage/analytics-source.ts'

/** Every pair of model and group that an enabled channel serves, in alphabetical order. */
export const listEnabledAbilities = (db: Database): Promise<Pick<AbilityRow, 'model' | 'group'>[]> =>
  db
    .selectFrom('abilities')
    .select(['model', 'group'])
    .distinct()
    .where('enabled', '=', 1)
    .orderBy('model')
    .orderBy('group')
    .execute()

export interface ModelOutcomes {
  readonly model: string
  readonly requests: number
  /** Requests that ended with a status of 500 or more. */
  readonly failed: number
}

/** How the requests of each model ended. The range is of whole hours. */
export async function listModelOutcomes(db: Database, range: TimeRange): Promise<ModelOutcomes[]> {
  const dimensions = ['model', 'error'] as const
  const columns = ['model_name', 'error', 'requests', 'errors']
  const source = analyticsSource({ range, grain: 'hour', filter: {}, dimensions }, columns)
  const { rows } = await sql<ModelOutcomes>`
    select model_name as model, sum(requests) as requests,
      sum(case when error like '5%' then errors else 0 end) as failed
    from ${source} group by model_name`.execute(db)
  return rows.map(({ model, requests, failed }) => ({
    model,
    requests: Number(requests),
    failed: Number(failed),
  }))
}
