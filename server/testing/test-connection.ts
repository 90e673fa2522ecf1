import { newRequestId } from '../core/ids.ts'
import { MIB } from '../core/limits.ts'
import { type BodyAllocation, createBodyMemory } from '../relay/request/body-memory.ts'
import type { ClientConnection } from '../relay/request/client-connection.ts'

const MEMORY_BYTES = 256 * MIB

/** A connection whose body is here already. */
export const connectionFor = (
  request: Request,
  text: string,
  memory = createBodyMemory(MEMORY_BYTES),
): ClientConnection => {
  let body: BodyAllocation | undefined
  return {
    hasSocket: false,
    requestId: newRequestId(),
    url: new URL(request.url),
    clientIp: () => '192.0.2.1',
    session: () => Promise.resolve(undefined),
    async readText(_, onPiece) {
      onPiece(text)
    },
    takeMemory(bytes, sender) {
      body ??= memory.open(sender)
      body.take(bytes)
    },
    takenBytes: () => body?.takenBytes() ?? 0,
    openMemory: sender => memory.open(sender),
    switchToSocket: () => undefined,
    readForm: () => Promise.resolve([]),
    disableIdleTimeout: () => undefined,
    startStreaming: () => () => undefined,
  }
}
