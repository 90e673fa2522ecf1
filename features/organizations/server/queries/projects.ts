import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Database } from '#server/db/engine/database.ts'
import { type OrganizationTables, withOrganizationTables } from '../tables.ts'

type Projects = OrganizationTables['organization_projects']
export type ProjectRow = Selectable<Projects>

const projects = (db: Database) => withOrganizationTables(db).selectFrom('organization_projects')

export async function insertProject(tx: Database, project: Insertable<Projects>): Promise<ProjectRow> {
  return await withOrganizationTables(tx)
    .insertInto('organization_projects')
    .values(project)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export const lockProject = (
  tx: Database,
  { organizationId, id }: { readonly organizationId: number; readonly id: number },
): Promise<ProjectRow | undefined> =>
  withOrganizationTables(tx)
    .updateTable('organization_projects')
    .set(row => ({ name: row.ref('name') }))
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .returningAll()
    .executeTakeFirst()

export const updateProjectRow = (tx: Database, id: number, change: Updateable<Projects>) =>
  withOrganizationTables(tx).updateTable('organization_projects').set(change).where('id', '=', id).execute()

export const listProjectPage = (
  db: Database,
  organizationId: number,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<ProjectRow[]> =>
  projects(db)
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()

export async function countProjects(db: Database, organizationId: number): Promise<number> {
  const { count } = await projects(db)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Open projects whose end has come. */
export const listDueProjects = (db: Database, now: number, limit: number): Promise<ProjectRow[]> =>
  projects(db)
    .selectAll()
    .where('closed_at', '=', 0)
    .where('ends_at', '>', 0)
    .where('ends_at', '<=', now)
    .limit(limit)
    .execute()
