import type { RelayContext } from '../relay-context.ts'
import type { RelayRequest } from '../request/relay-request.ts'
import { route, type Trial } from './route.ts'

/** Whom to ask for an order of a session, by what is known now. Throws GatewayError when there is nobody. */
export const routeOrder = (order: RelayRequest, session: string | undefined, gateway: RelayContext): Trial =>
  route(order.caller, order.model, {
    directory: gateway.channels.current(),
    health: gateway.health,
    preferredId: gateway.affinity.find(session),
  })
