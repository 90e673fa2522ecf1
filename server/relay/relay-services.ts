import type { FailureLimit } from './admission/admit.ts'
import type { CallerLookup } from './admission/authenticate.ts'
import type { OpenCalls } from './admission/open-calls.ts'
import type { ProcessorBudget } from './admission/processor-budget.ts'
import type { ClientConnection } from './request/client-connection.ts'
import type { AccountHandles } from './routing/account-handles.ts'
import type { RelayOptions } from './types.ts'

/** What the relay offers to features. It is there before them, and they before the rest of the relay. */
export interface RelayServices {
  readonly settings: { current(): RelayOptions }
  readonly accountHandles: AccountHandles
  readonly failureLimit: FailureLimit
  readonly callers: CallerLookup
  readonly processorBudget: ProcessorBudget
  readonly openCalls: OpenCalls
  /** Serves a request as if a client had sent it. */
  respond(request: Request, connection: ClientConnection): Promise<Response>
}
