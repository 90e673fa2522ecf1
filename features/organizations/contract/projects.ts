import { z } from 'zod'
import { auditedRecord, RECORDS } from '#contract/audited-records.ts'
import { COST, endpoint, IdParams, PagesFromOne, pageOf } from '#contract/endpoint.ts'
import { ACTING, BASE, NAME_LENGTH_MAX, Name, NewKey, role, TokenName, usage } from './fields.ts'

export const PROJECTS_MAX = 1000

const TIME_MAX = 253_402_300_799

export const Project = z
  .object({
    id: z.number().meta({ description: 'Id of the project.', example: 4 }),
    name: z.string().meta({ description: 'Name.', example: 'Course 101' }),
    ends_time: z.number().meta({
      description: 'Unix seconds at which its tokens are disabled; 0: never.',
      example: 0,
    }),
    is_closed: z.boolean().meta({ description: 'Whether it has ended.', example: false }),
    created_time: z.number().meta({ description: 'Unix seconds.', example: 1_764_000_000 }),
    ...usage,
  })
  .meta({ id: 'Project', description: 'A label for tokens, with an end and budgets of its own.' })
export type Project = z.infer<typeof Project>

const PROJECT = auditedRecord('organization-project', 'organization_projects', {
  columns: ['name', 'ends_at', 'closed_at'],
  createdAt: 'created_at',
})

export const listProjects = endpoint({
  method: 'GET',
  path: `${BASE}/projects`,
  role,
  organization: 'admin',
  cost: COST.statistics,
  summary: 'List the projects',
  description: `${ACTING} With what each has used this month; the newest first.`,
  query: PagesFromOne,
  reply: pageOf(Project),
})

const ProjectFields = {
  name: Name.meta({ description: `Name, 1 to ${NAME_LENGTH_MAX} characters.`, example: 'Course 101' }),
  ends_time: z
    .number()
    .int()
    .min(0)
    .max(TIME_MAX)
    .meta({ description: 'Unix seconds at which its tokens are disabled; 0: never.', example: 0 }),
}

export const createProject = endpoint({
  method: 'POST',
  path: `${BASE}/projects`,
  role,
  organization: 'admin',
  changes: PROJECT,
  summary: 'Create a project',
  description: ACTING,
  body: z.object({ ...ProjectFields, ends_time: ProjectFields.ends_time.default(0) }),
  reply: Project,
})

export const updateProject = endpoint({
  method: 'PUT',
  path: `${BASE}/projects/:id`,
  role,
  organization: 'admin',
  changes: PROJECT,
  summary: 'Change or close a project',
  description: `${ACTING} Absent fields stay. The tokens of a project that ends are disabled, and stay so when it opens again.`,
  params: IdParams,
  body: z.object({
    name: ProjectFields.name.optional(),
    ends_time: ProjectFields.ends_time.optional(),
    is_closed: z.boolean().optional().meta({ description: 'Ends it now, or opens it again.', example: true }),
  }),
})

export const createProjectToken = endpoint({
  method: 'POST',
  path: `${BASE}/projects/:id/token`,
  role,
  organization: 'admin',
  changes: RECORDS.token,
  summary: 'Create a token for a project',
  description: ACTING,
  params: IdParams,
  body: z.object({
    name: TokenName,
    member_id: z
      .number()
      .int()
      .min(0)
      .default(0)
      .meta({ description: 'The member whom it belongs to as well; 0: none.', example: 0 }),
  }),
  reply: NewKey,
})
