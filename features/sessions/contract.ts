import { z } from 'zod'
import { auditedRecord } from '#contract/audited-records.ts'
import { endpoint, IdParams } from '#contract/endpoint.ts'
import { flagField, numberField, textField } from '#contract/fields.ts'

const TEXT_MAX = 255

export const Session = z
  .object({
    id: textField('Names the session; it opens nothing.', '3f9a'),
    device: textField('As the browser calls itself.', 'Mozilla/5.0 (X11)'),
    address: textField('Of the client, at its last call; empty: unknown.', '203.0.113.7'),
    created_time: numberField('Unix seconds of the sign-in.', 1_760_000_000),
    used_time: numberField('Unix seconds of the last call, within a minute.', 1_760_000_600),
    is_current: flagField('The session of this call.', true),
  })
  .meta({ id: 'Session', description: 'A browser that is signed in.' })
export type Session = z.infer<typeof Session>

const RECORD = auditedRecord('session', 'sessions', {
  key: 'id_hash',
  columns: ['user_id', 'device', 'address'],
  createdAt: 'created_at',
})
const WHOSE = 'Of the caller, and for administrators of users whose role is below their own.'

export const listSessions = endpoint({
  method: 'GET',
  path: '/api/user/:id/sessions',
  role: 'user',
  summary: 'List the sessions of a user',
  description: `${WHOSE} The newest 100, last used first.`,
  params: IdParams,
  reply: z.array(Session),
})

export const endSession = endpoint({
  method: 'DELETE',
  path: '/api/user/:id/sessions/:session',
  role: 'user',
  changes: RECORD,
  changedRows: ({ params }) => ({ user_id: [params.id] }),
  summary: 'End a session of a user',
  description: `${WHOSE} Responses in progress that it began end within ten seconds.`,
  params: IdParams.extend({
    session: z.string().max(TEXT_MAX).meta({ description: 'Id of the session.', example: '3f9a' }),
  }),
})

export const endSessions = endpoint({
  method: 'DELETE',
  path: '/api/user/:id/sessions',
  role: 'user',
  changes: RECORD,
  changedRows: ({ params }) => ({ user_id: [params.id] }),
  summary: 'End all sessions of a user',
  description: `${WHOSE} The session of this call stays. Access tokens and API keys stay, too.`,
  params: IdParams,
})
