import type { JsonObject } from '../../provider-kit/chat.ts'
import type { ClientDialect } from '../../provider-kit/client-dialect.ts'
import type { ParsedRequest, Operation, OperationDialect } from '../operations/operation.ts'
import type { TraceContext } from '../telemetry/trace-context.ts'
import type { Caller } from './caller.ts'

/** A parsed request: what is wanted, by whom, in which dialect. */
export interface RelayRequest extends ActiveRequest, ParsedRequest {
  /** The client's own body. */
  readonly clientBody: JsonObject
}

/** What is still known of a request while its answer comes: prompts are long, and so are streams. */
export interface ActiveRequest extends Omit<ParsedRequest, 'body'> {
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
  readonly inputAudioTokens: () => number
  /** How hard the model is to think, as the client says it. */
  readonly effort: string | undefined
  /** Pictures that are asked for, each counted by what its size and quality make of a plain one. */
  readonly imageUnits: number
  /** On the clock of `elapsedMs`. */
  readonly startedMs: number
  /** Undefined while nobody asked for traces. */
  readonly traceContext: TraceContext | undefined
}

/** Lets go of what was said. Its sound is counted first, since nobody can later. */
export function toActiveRequest({ body: _body, clientBody: _sent, ...order }: RelayRequest): ActiveRequest {
  const inputSound = order.inputAudioTokens()
  return { ...order, inputAudioTokens: () => inputSound }
}
