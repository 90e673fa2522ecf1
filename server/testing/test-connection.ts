import { newRequestId } from '../core/ids.ts'
import { MIB } from '../core/limits.ts'
import { createBodyMemory } from '../relay/request/body-memory.ts'
import type { ClientConnection } from '../relay/request/client-connection.ts'

const BODY_MEMORY_BYTES = 256 * MIB

const bodyMemory = createBodyMemory(BODY_MEMORY_BYTES)

/** A connection whose body is here already. */
export const connectionFor = (request: Request, text: string): ClientConnection => ({
  hasSocket: false,
  requestId: newRequestId(),
  url: new URL(request.url),
  clientIp: () => '192.0.2.1',
  session: () => Promise.resolve(undefined),
  async readText(_, onPiece) {
    onPiece(text)
  },
  openMemory: sender => bodyMemory.open(sender),
  switchToSocket: () => undefined,
  readForm: () => Promise.resolve([]),
  disableIdleTimeout: () => undefined,
  startStreaming: () => () => undefined,
})
