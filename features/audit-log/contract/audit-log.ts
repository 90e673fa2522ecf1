import { z } from 'zod'
import { COST, endpoint, PagesFromOne, pageOf } from '#contract/endpoint.ts'
import { numberField, QueryNumber, QueryText, textField } from '#contract/fields.ts'

const role = 'root'
export const AUDIT_EXPORT_ROWS_MAX = 100_000
export const CREDENTIALS = [
  'session',
  'access-token',
  'token',
  'scim',
  'openid',
  'payment',
  'device',
  'command',
  'job',
  'none',
] as const

const fieldsByRecord = (description: string) =>
  z.record(z.string(), z.unknown()).meta({ description, example: { 12: { status: 1 } } })

/** What a row keeps besides its columns. */
export const AuditDetails = z.object({
  input: z
    .record(z.string(), z.unknown())
    .meta({ description: 'What was sent, secrets masked.', example: { id: 12, status: 2 } }),
  before: fieldsByRecord('The fields that differ as they were, by record. null: there was no such record.'),
  after: fieldsByRecord('The same fields afterwards. null: the record is gone.'),
  count: z.number().optional().meta({
    description: 'Records that a filter selected, of which `before` and `after` show the first 1,000.',
    example: 200,
  }),
  access_token: z.string().optional().meta({
    description: 'Name of the access token with which it was done.',
    example: 'deployment',
  }),
  organization: z.string().optional().meta({
    description: 'User name of the organisation for which the member did it.',
    example: 'acme',
  }),
})
export type AuditDetails = z.infer<typeof AuditDetails>

export const AuditRow = AuditDetails.extend({
  id: numberField('Counts from 1 without gaps.', 4711),
  created_at: numberField('Unix seconds.', 1_760_000_000),
  actor_id: numberField('User id; 0: a visitor, an identity provider or the program.', 1),
  actor_name: textField(
    'User name at the time; of SCIM the provider, of a command the account of the operating system.',
    'root',
  ),
  credential: z.enum(CREDENTIALS).meta({
    description:
      'With what: a session, an access token, SCIM, a command of `tollgate`, a scheduled job, or nothing.',
    example: 'session',
  }),
  address: textField('Client address.', '203.0.113.7'),
  request_id: textField('Request id.', '20261009084640123456789'),
  action: textField('Method and path, the command, or the job.', 'PUT /api/channel/'),
  kind: textField('Kind of the changed records; empty: none.', 'channel'),
  code: textField('Error code; empty on success.', ''),
}).meta({ id: 'AuditRow', description: 'What somebody did.' })
export type AuditRow = z.infer<typeof AuditRow>

const Filters = {
  actor: QueryText.meta({ description: 'Exact user name or user id. Empty: any.', example: 'root' }),
  kind: QueryText.meta({ description: 'Kind of the changed records. Empty: any.', example: 'channel' }),
  target: QueryText.meta({ description: 'Id of a changed record; needs `kind`. Empty: any.', example: '12' }),
  action: QueryText.meta({ description: 'Part of the action. Empty: any.', example: '/api/channel/' }),
  search: QueryText.meta({
    description: 'Part of what was sent or changed. Empty: any.',
    example: 'gpt-5.5',
  }),
  start_timestamp: QueryNumber.meta({ description: 'Unix seconds from which on; 0: any.', example: 0 }),
  end_timestamp: QueryNumber.meta({ description: 'Unix seconds until which; 0: any.', example: 0 }),
}
const AuditFilter = z.object(Filters)
export type AuditFilter = z.infer<typeof AuditFilter>

export const listAuditLog = endpoint({
  method: 'GET',
  path: '/api/audit/',
  role,
  cost: COST.search,
  summary: 'List who changed what',
  description: 'Newest first.',
  query: PagesFromOne.extend(Filters),
  reply: pageOf(AuditRow),
})

export const exportAuditLog = endpoint({
  method: 'GET',
  path: '/api/audit/export',
  role,
  cost: COST.export,
  needs: 'recent-session',
  audit: 'success',
  summary: 'Export who changed what as CSV',
  description: `Newest first, at most ${AUDIT_EXPORT_ROWS_MAX} rows.`,
  query: AuditFilter,
  produces: 'text/csv',
})
