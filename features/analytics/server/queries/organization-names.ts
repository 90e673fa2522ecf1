import type { Database } from '#server/db/engine/database.ts'

/** Organisations have names of their own beside those of their accounts. */
export async function findOrganizationNames(
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
