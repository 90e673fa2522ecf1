import type { AnalyticsDimension } from '#contract/enums.ts'
import type { Database } from '#server/db/engine/database.ts'
import { findNames } from '#server/db/logs/log-names.ts'
import type { Services } from '#server/feature.ts'

type FindNames = (db: Database, ids: readonly number[]) => Promise<ReadonlyMap<number, string>>

/** Finds the names of the dimensions whose values are ids. */
export type NameFinders = Readonly<Partial<Record<AnalyticsDimension, FindNames>>>

const noNames: FindNames = async () => new Map()

/** Members and projects belong to a feature, which names them. */
export function nameFindersOf(budgetSubject: Services['budgetSubject'] = () => undefined): NameFinders {
  return {
    user: (db, ids) => findNames(db, 'users', ids),
    channel: (db, ids) => findNames(db, 'channels', ids),
    token: (db, ids) => findNames(db, 'tokens', ids),
    organization: findOrganizationNames,
    member: budgetSubject('member')?.findNames ?? noNames,
    project: budgetSubject('project')?.findNames ?? noNames,
  }
}

/** Organisations have names of their own beside those of their accounts. */
async function findOrganizationNames(
  db: Database,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('users')
    .select(['id', 'username', 'display_name'])
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, username, display_name }) => [id, display_name || username]))
}
