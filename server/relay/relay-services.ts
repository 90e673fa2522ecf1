import type { FailureLimit } from './admission/admit.ts'
import type { CallerLookup } from './admission/authenticate.ts'
import type { CallerChecks } from './admission/caller-checks.ts'
import type { ProcessorBudget } from './admission/processor-budget.ts'
import type { ClientConnection } from './request/client-connection.ts'
import type { OpenResponse } from './request/client-presence.ts'
import type { AccountHandles } from './routing/account-handles.ts'
import type { RelayOptions } from './types.ts'

/** What the relay offers to features. It is there before them, and they before the rest of the relay. */
export interface RelayServices {
  readonly settings: { current(): RelayOptions }
  readonly accountHandles: AccountHandles
  readonly failureLimit: FailureLimit
  readonly callers: CallerLookup
  readonly callerChecks: CallerChecks
  readonly processorBudget: ProcessorBudget
  /** Those of this process. */
  readonly openResponses: Set<OpenResponse>
  /** Serves a request as if a client had sent it. */
  respond(request: Request, connection: ClientConnection): Promise<Response>
}
