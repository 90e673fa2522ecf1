import type { Secrets } from '../core/crypto.ts'
import type { CachedValue } from '../db/engine/cached-value.ts'
import type { Dialects } from '../dialects/dialects.ts'
import type { AuthDeps } from './admission/authenticate.ts'
import type { RateLimitDeps } from './admission/rate-limit.ts'
import type { RelayHooks } from './hooks.ts'
import type { ModelsDeps } from './operations/list-models.ts'
import type { VoicesDeps } from './operations/list-voices.ts'
import type { PresenceDeps } from './request/client-presence.ts'
import type { Tracing } from './request/trace-context.ts'
import type { ResponseDeps } from './response/respond.ts'
import type { RelayRoute } from './routes/routes.ts'
import type { ChannelDirectory } from './routing/channel-directory.ts'
import type { RoutingDeps } from './routing/choose-route.ts'
import type { TaskPath } from './tasks/task-routes.ts'
import type { TelemetryDeps } from './telemetry/observer.ts'
import type { RelaySettings } from './types.ts'
import type { UpstreamDeps } from './upstream/try-channels.ts'

/** The dependencies of all stages of the relay. Each stage takes only the ones that it declares. */
export interface RelayContext
  extends AuthDeps,
    RateLimitDeps,
    PresenceDeps,
    RoutingDeps,
    UpstreamDeps,
    ResponseDeps,
    TelemetryDeps,
    ModelsDeps,
    VoicesDeps {
  /** What features add to requests, composed at start. */
  readonly hooks: RelayHooks
  /** The paths of features. */
  readonly paths: readonly RelayRoute[]
  readonly taskPaths: readonly TaskPath[]
  readonly dialects: Dialects
  readonly channels: CachedValue<ChannelDirectory>
  readonly settings: { current(): RelaySettings }
  /** Undefined when tracing is off. */
  readonly tracing: Tracing | undefined
  /** For the signatures of task notices. */
  readonly secrets: Secrets
}
