import type { JsonObject } from '../../provider-kit/chat.ts'
import type { ClientDialect } from '../../provider-kit/client-dialect.ts'
import type { Asked, Operation, OperationDialect } from '../operations/operation.ts'
import type { TraceContext } from '../telemetry/trace-context.ts'
import type { Caller } from './caller.ts'

/** A parsed request: what is wanted, by whom, in which dialect. */
export interface Order extends OrderUnderway, Asked {
  /** The client's own body. */
  readonly sent: JsonObject
}

/** What is still known of a request while its answer comes: prompts are long, and so are streams. */
export interface OrderUnderway extends Omit<Asked, 'body'> {
  readonly requestId: string
  readonly caller: Caller
  readonly operation: Operation
  readonly client: ClientDialect
  readonly dialect: OperationDialect
  /** Headers of the client that a vendor of its dialect may see. */
  readonly shownHeaders: Readonly<Record<string, string>>
  /** The vendor turned out not to have the client's dialect: it is asked through the canonical form. */
  readonly avoidsNative?: true
  /** Estimated. */
  readonly inputTokens: number
  /** How many of them are sound; counted when it is asked for. */
  readonly inputSound: () => number
  /** How hard the model is to think, as the client says it. */
  readonly effort: string | undefined
  /** Pictures that are asked for, each counted by what its size and quality make of a plain one. */
  readonly images: number
  /** On the clock of `elapsedMs`. */
  readonly startedMs: number
  /** Undefined while nobody asked for traces. */
  readonly traceContext: TraceContext | undefined
}

/** Lets go of what was said. Its sound is counted first, since nobody can later. */
export function underwayOf({ body: _body, sent: _sent, ...order }: Order): OrderUnderway {
  const inputSound = order.inputSound()
  return { ...order, inputSound: () => inputSound }
}
