import { defineFeature } from '#server/feature.ts'
import { get, type LookupQuery } from '#server/relay/routes/routes.ts'
import { openResponseSocket, ResponseSockets } from './open-response-socket.ts'
import { turnHooks } from './turn.ts'

export const feature = defineFeature({
  start({ log, relay }) {
    const responseSockets = new ResponseSockets()
    const deps = { responseSockets, log, respond: relay.respond, openCalls: relay.openCalls }
    const open = (query: LookupQuery) => openResponseSocket(query, deps)
    return { paths: [get('/v1/responses', open, 'responses', { needsBalance: true })], relay: turnHooks }
  },
})
