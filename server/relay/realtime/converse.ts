import { GatewayError } from '../../core/errors.ts'
import type { HoldExtender } from '../billing/extend-hold.ts'
import type { Outcome } from '../billing/usage-to-charge.ts'
import type { ClientConnection } from '../request/client-connection.ts'
import type { ActiveRequest } from '../request/relay-request.ts'
import type { UpstreamSocket } from '../upstream/websocket.ts'
import { Conversation } from './conversation.ts'
import { realtimeProtocol } from './realtime-headers.ts'

interface Conversing {
  readonly order: ActiveRequest
  readonly upstream: UpstreamSocket
  readonly coverage: HoldExtender
  readonly close: (outcome: Outcome) => Promise<void>
}

/** Makes the client's connection a socket and joins it to the upstream's. From here on their end closes the hold. */
export function converse(parts: Conversing, headers: Headers, door: ClientConnection): Response {
  const switched = door.switchToSocket(new Conversation({ ...parts, protocol: realtimeProtocol(headers) }))
  if (switched) return switched
  parts.upstream.close()
  throw new GatewayError(
    'invalid_request',
    'the connection could not be made a websocket, which is needed here',
  )
}
