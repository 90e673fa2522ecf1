import { defineFeature } from '#server/feature.ts'
import { get } from '#server/relay/routes/routes.ts'
import { openResponseSocket, ResponseSockets } from './open-response-socket.ts'
import { turnHooks } from './turn.ts'

export const feature = defineFeature({
  start({ log, relay }) {
    const responseSockets = new ResponseSockets()
    const deps = { responseSockets, log, respond: relay.respond }
    const path = get('/v1/responses', query => openResponseSocket(query, deps), 'responses')
    return { paths: [{ ...path, needsBalance: true }], relay: turnHooks }
  },
})
