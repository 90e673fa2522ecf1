import type { ClientDialect } from '../provider-kit/client-dialect.ts'
import type { Caller } from './caller.ts'
import type { Asked, Operation, OperationDialect } from './operations/operation.ts'
import type { TraceContext } from './seeing/trace-context.ts'

/** A parsed request: what is wanted, by whom, in which dialect. */
export interface Order extends Asked {
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
  /** Pictures that are asked for, each counted by what its size and quality make of a plain one. */
  readonly images: number
  /** On the clock of `elapsedMs`. */
  readonly startedMs: number
  /** Undefined while nobody asked for traces. */
  readonly traceContext: TraceContext | undefined
}
