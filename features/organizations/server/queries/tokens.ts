import { LOG_TYPE } from '#contract/enums.ts'
import type { Database } from '#server/db/engine/database.ts'

export interface SubjectUse {
  readonly tokens: number
  readonly used_quota: number
}

/** The tokens of members or projects, and what they have used since a time (Unix seconds, of a full hour), by id. */
export async function readSubjectUse(
  db: Database,
  of: {
    readonly organizationId: number
    readonly column: 'member_id' | 'project_id'
    readonly ids: readonly number[]
  },
  since: number,
): Promise<ReadonlyMap<number, SubjectUse>> {
  if (of.ids.length === 0) return new Map()
  const { organizationId, column, ids } = of
  const counted = await db
    .selectFrom('tokens')
    .select(column)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(column, 'in', ids)
    .where('deleted_at', 'is', null)
    .groupBy(column)
    .execute()
  const used = await db
    .selectFrom('usage_hours')
    .innerJoin('tokens', 'tokens.id', 'usage_hours.token_id')
    .select(`tokens.${column}`)
    .select(({ fn }) => fn.sum<number>('usage_hours.quota').as('quota'))
    .where('usage_hours.user_id', '=', organizationId)
    .where('usage_hours.hour', '>=', since)
    .where('usage_hours.type', '=', LOG_TYPE.consumption)
    .where(`tokens.${column}`, 'in', ids)
    .groupBy(`tokens.${column}`)
    .execute()
  const quotas = new Map(used.map(row => [row[column], Number(row.quota)]))
  const counts = new Map(counted.map(row => [row[column], Number(row.count)]))
  return new Map(ids.map(id => [id, { tokens: counts.get(id) ?? 0, used_quota: quotas.get(id) ?? 0 }]))
}

export const setProject = (tx: Database, tokenId: number, projectId: number) =>
  tx.updateTable('tokens').set({ project_id: projectId }).where('id', '=', tokenId).execute()
