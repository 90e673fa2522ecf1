import type { BodyOf, QueryOf } from '#contract/endpoint.ts'
import type { ApiContext } from '#server/api/context.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { lockUser } from '#server/db/accounts/users.ts'
import { type Database, inTransaction } from '#server/db/engine/database.ts'
import type { NewKey } from '../contract/fields.ts'
import {
  type createProject,
  type createProjectToken,
  type listProjects,
  PROJECTS_MAX,
  type Project,
  type updateProject,
} from '../contract/projects.ts'
import { requireMember } from './access.ts'
import { organizationError } from './errors.ts'
import { createKey, type KeyDeps } from './keys.ts'
import { getMember } from './members.ts'
import { startOfUtcMonth } from './month.ts'
import { disableTokens } from './queries/members.ts'
import {
  countProjects,
  insertProject,
  listDueProjects,
  listProjectPage,
  lockProject,
  type ProjectRow,
  updateProjectRow,
} from './queries/projects.ts'
import { readSubjectUse, type SubjectUse } from './queries/tokens.ts'

/** By one run of the job. */
export const ENDED_AT_ONCE = 100
const UNUSED: SubjectUse = { tokens: 0, used_quota: 0 }

const toProject = (row: ProjectRow, usage = UNUSED): Project => ({
  id: row.id,
  name: row.name,
  ends_time: row.ends_at,
  is_closed: row.closed_at > 0,
  created_time: row.created_at,
  ...usage,
})

export async function listProjectViews(
  { p, page_size }: QueryOf<typeof listProjects>,
  { reader, caller }: Pick<ApiContext, 'reader' | 'caller'>,
) {
  requireMember(caller)
  const rows = await listProjectPage(reader, caller.id, { offset: (p - 1) * page_size, limit: page_size })
  const of = { organizationId: caller.id, column: 'project_id', ids: rows.map(({ id }) => id) } as const
  const usage = await readSubjectUse(reader, of, startOfUtcMonth(nowSeconds()))
  const items = rows.map(row => toProject(row, usage.get(row.id)))
  return { items, total: await countProjects(reader, caller.id), page: p, page_size }
}

export function addProject(
  { name, ends_time }: BodyOf<typeof createProject>,
  { db, caller }: Pick<ApiContext, 'db' | 'caller'>,
): Promise<Project> {
  requireMember(caller)
  return inTransaction(db, async tx => {
    await lockUser(tx, caller.id)
    if ((await countProjects(tx, caller.id)) >= PROJECTS_MAX)
      throw organizationError('too_many_projects', { count: PROJECTS_MAX })
    const draft = { organization_id: caller.id, name, ends_at: ends_time, created_at: nowSeconds() }
    return toProject(await insertProject(tx, draft))
  })
}

export function changeProject(
  id: number,
  { name, ends_time, is_closed }: BodyOf<typeof updateProject>,
  { db, caller }: Pick<ApiContext, 'db' | 'caller'>,
): Promise<void> {
  return inTransaction(db, async tx => {
    await getProject(tx, id, caller)
    const change = {
      ...(name !== undefined && { name }),
      ...(ends_time !== undefined && { ends_at: ends_time }),
      // An end that has come is no reason to close it again when it is opened.
      ...(is_closed === false && { closed_at: 0, ...(ends_time === undefined && { ends_at: 0 }) }),
    }
    if (Object.keys(change).length > 0) await updateProjectRow(tx, id, change)
    if (is_closed) await closeProject(tx, id)
  })
}

async function closeProject(tx: Database, id: number): Promise<void> {
  await updateProjectRow(tx, id, { closed_at: nowSeconds() })
  await disableTokens(tx, 'project_id', id)
}

/** Disables the tokens of projects whose end has come. */
export async function closeDueProjects(db: Database): Promise<void> {
  const due = await listDueProjects(db, nowSeconds(), ENDED_AT_ONCE)
  for (const { id } of due) await inTransaction(db, tx => closeProject(tx, id))
}

export const createProjectKey = (
  id: number,
  { name, member_id }: BodyOf<typeof createProjectToken>,
  context: KeyDeps,
): Promise<NewKey> =>
  inTransaction(context.db, async db => {
    const { closed_at } = await getProject(db, id, context.caller)
    if (closed_at > 0) throw organizationError('project_closed')
    if (member_id > 0) await getMember(db, member_id, context.caller)
    return createKey({ name, memberId: member_id, projectId: id }, { ...context, db })
  })

async function getProject(tx: Database, id: number, caller: ApiContext['caller']): Promise<ProjectRow> {
  requireMember(caller)
  const project = await lockProject(tx, { organizationId: caller.id, id })
  if (!project) throw organizationError('unknown_project')
  return project
}
