import type { Route } from './api/handle.ts'
import type { Secrets } from './core/crypto.ts'
import type { Logger } from './core/logger.ts'
import type { RateLimiter } from './core/rate-limit.ts'
import type { MetricsRegistry } from './core/telemetry/metrics.ts'
import type { CachedValue } from './db/engine/cached-value.ts'
import type { Database, OpenDatabase } from './db/engine/database.ts'
import type { SafeFetch } from './http-client/safe-fetch.ts'
import type { Send } from './http-client/send.ts'
import type { RootNotifier } from './notifications/root-notifier.ts'
import type { Registry } from './providers/registry.ts'
import type { RelayHooks } from './relay/hooks.ts'
import type { RelayServices } from './relay/relay-services.ts'
import type { RelayRoute } from './relay/routes/routes.ts'
import type { ChannelDirectory } from './relay/routing/channel-directory.ts'
import type { TaskPath } from './relay/tasks/task-routes.ts'
import type { Settings } from './settings/settings.ts'

/** What a feature may use of the program: created once at start, before the features. */
export interface Services {
  readonly database: OpenDatabase
  readonly db: Database
  readonly settings: Settings
  readonly registry: Registry
  readonly secrets: Secrets
  readonly log: Logger
  readonly channels: CachedValue<ChannelDirectory>
  readonly rateLimiter: RateLimiter
  readonly send: Send
  readonly safeFetch: SafeFetch
  readonly rootNotifier: RootNotifier
  readonly metrics: MetricsRegistry
  readonly relay: RelayServices
}

/** The server's half of a feature, a folder in `features`. */
export interface Feature {
  /** Called once at start. State lives in its closure. */
  start?(services: Services): FeatureParts
}

/** What a feature adds to the running program. */
export interface FeatureParts {
  /**
   * Endpoints of the management API, made by `handle`. They are parts of a running feature, since handlers share its state;
   * what only reads endpoints, as the tests of roles do, reads those of a test app.
   */
  readonly routes?: readonly Route[]
  /** Paths of the relay: lookups and operations. */
  readonly paths?: readonly RelayRoute[]
  /** Paths of a task platform, whose tasks finish later. */
  readonly taskPaths?: readonly TaskPath[]
  readonly relay?: RelayHooks
  /** Ends what the feature does, before what it uses is closed. */
  stop?(): Promise<void>
}

/** Declares a feature in `features/<name>/server/index.ts`, the file that the program finds by its folder. */
export const defineFeature = (feature: Feature): Feature => feature
