import type { Secrets } from '../core/crypto.ts'
import type { CachedValue } from '../db/engine/cached-value.ts'
import type { Dialects } from '../dialects/dialects.ts'
import type { Registry } from '../providers/registry.ts'
import type { AdmissionDeps } from './admission/admit.ts'
import type { AuthDeps } from './admission/authenticate.ts'
import type { OpenCalls } from './admission/open-calls.ts'
import type { ProcessorBudget } from './admission/processor-budget.ts'
import type { RelayHooks } from './hooks.ts'
import type { PresenceDeps } from './request/client-presence.ts'
import type { Tracing } from './request/trace-context.ts'
import type { ResponseDeps } from './response/respond.ts'
import type { ChannelDirectory } from './routing/channel-directory.ts'
import type { RoutingDeps } from './routing/choose-route.ts'
import type { TelemetryDeps } from './telemetry/observer.ts'
import type { RelayOptions } from './types.ts'
import type { UpstreamDeps } from './upstream/try-channels.ts'

/** The dependencies of all stages of the relay. Each stage takes only the ones that it declares. */
export interface RelayContext
  extends AuthDeps,
    AdmissionDeps,
    PresenceDeps,
    RoutingDeps,
    UpstreamDeps,
    ResponseDeps,
    TelemetryDeps {
  /** What features add to requests, composed at start. */
  readonly hooks: RelayHooks
  readonly registry: Registry
  readonly dialects: Dialects
  readonly channels: CachedValue<ChannelDirectory>
  readonly settings: { current(): RelayOptions }
  readonly processorBudget: ProcessorBudget
  readonly openCalls: OpenCalls
  /** Undefined when tracing is off. */
  readonly tracing: Tracing | undefined
  /** For the signatures of task notices. */
  readonly secrets: Secrets
}
