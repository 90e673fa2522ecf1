import { requireManaged } from '#server/accounts/rank.ts'
import { handle } from '#server/api/handle.ts'
import { apiErrors } from '#server/core/api-error.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { defineFeature } from '#server/feature.ts'
import * as endpoints from '../contract.ts'
import { deleteOtherSessions, deleteSessionOfUser, listSessionsOfUser, sessionIdOf } from './queries.ts'

const endedError = apiErrors('sessions', {
  ended: { zh: '该会话已结束', en: 'the session has ended already' },
})

const routes = [
  handle(endpoints.listSessions, async ({ params, session, ...context }) => {
    await requireManaged(params.id, context)
    const rows = await listSessionsOfUser(context.reader, params.id, nowSeconds())
    return rows.map(row => ({
      id: sessionIdOf(row.id_hash),
      device: row.device,
      address: row.address,
      created_time: row.created_at,
      used_time: row.used_at || row.created_at,
      is_current: row.id_hash === session.idHash,
    }))
  }),

  handle(endpoints.endSession, async ({ params, ...context }) => {
    await requireManaged(params.id, context)
    if (!(await deleteSessionOfUser(context.db, params.id, params.session))) throw endedError('ended')
  }),

  handle(endpoints.endSessions, async ({ params, session, ...context }) => {
    await requireManaged(params.id, context)
    await deleteOtherSessions(context.db, params.id, session.idHash ?? '')
  }),
]

export const feature = defineFeature({
  // Whatever goes on for a caller ends with the credential that began it.
  start: ({ relay }) => ({ routes, jobs: [() => relay.openCalls.checkEachSecond()] }),
})
