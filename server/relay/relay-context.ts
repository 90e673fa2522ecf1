import type { Secrets } from '../core/crypto.ts'
import type { Logger } from '../core/logger.ts'
import type { RateLimiter } from '../core/rate-limit.ts'
import type { CachedValue } from '../db/engine/cached-value.ts'
import type { Database } from '../db/engine/database.ts'
import type { Dialects } from '../dialects/dialects.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Registry } from '../providers/registry.ts'
import type { CallerLookup } from './request/find-caller.ts'
import type { Tracing } from './request/trace-context.ts'
import type { ChannelDirectory } from './routing/channel-directory.ts'
import type { ChannelHealth } from './routing/channel-health.ts'
import type { SessionAffinity } from './routing/choose-route.ts'
import type { RelayObserver } from './telemetry/observer.ts'
import type { RelaySettings } from './types.ts'
import type { Credentials } from './upstream/credentials.ts'
import type { Egress } from './upstream/safe-fetch.ts'
import type { Connect, Send } from './upstream/send.ts'
import type { RelayTimeouts } from './upstream/timeouts.ts'

/** What the pipeline works with. Made once, by main.ts. */
export interface RelayContext {
  readonly db: Database
  readonly ledger: Ledger
  readonly callers: CallerLookup
  readonly registry: Registry
  readonly dialects: Dialects
  readonly secrets: Secrets
  readonly log: Logger
  readonly channels: CachedValue<ChannelDirectory>
  readonly health: ChannelHealth
  readonly sessionAffinity: SessionAffinity
  readonly settings: { current(): RelaySettings }
  readonly send: Send
  readonly connect: Connect
  /** For addresses of clients' and vendors' choosing: pictures. */
  readonly safeFetch: Egress
  readonly credentials: Credentials
  readonly timeouts: RelayTimeouts
  readonly rateLimiter: RateLimiter
  readonly observer: RelayObserver
  /** Undefined while nobody asked for traces. */
  readonly tracing: Tracing | undefined
  /** Tells the super administrator that a channel was taken out of routing. Nobody waits for it. */
  readonly notifyChannelDisabled: (channel: { id: number; name: string }, reason: string) => void
}
