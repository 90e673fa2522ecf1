import type { AnyEndpoint } from '#contract/endpoint.ts'
import type { Options } from '#contract/options/define-option.ts'
import type { ActFor, Installation } from './api/context.ts'
import type { Events } from './api/events.ts'
import type { Route } from './api/handle.ts'
import type { PlainRoute } from './api/plain-route.ts'
import type { BackupConfig } from './config/backup-config.ts'
import type { Config } from './config/config.ts'
import type { TracingConfig } from './config/tracing-config.ts'
import type { Secrets } from './core/crypto.ts'
import type { BothLanguages } from './core/language.ts'
import type { Logger } from './core/logger.ts'
import type { RateLimiter } from './core/rate-limit.ts'
import type { MetricsRegistry } from './core/telemetry/metrics.ts'
import type { CallerRow } from './db/accounts/tokens.ts'
import type { CachedValue } from './db/engine/cached-value.ts'
import type { Database, OpenDatabase } from './db/engine/database.ts'
import type { Migration } from './db/migrations/migration.ts'
import type { SafeFetch } from './http-client/safe-fetch.ts'
import type { Send } from './http-client/send.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { RootNotifier } from './notifications/root-notifier.ts'
import type { SendNotification } from './notifications/send-notification.ts'
import type { Program } from './program.ts'
import type { Registry } from './providers/registry.ts'
import type { RelayHooks } from './relay/hooks.ts'
import type { RelayContext } from './relay/relay-context.ts'
import type { RelayServices } from './relay/relay-services.ts'
import type { ClientConnection } from './relay/request/client-connection.ts'
import type { RelayRoute } from './relay/routes/routes.ts'
import type { ChannelDirectory } from './relay/routing/channel-directory.ts'
import type { RelayObserver } from './relay/telemetry/observer.ts'
import type { Settings } from './settings/settings.ts'

/** What a feature may use of the program: created once at start, before the features. */
export interface Services {
  readonly database: OpenDatabase
  readonly db: Database
  readonly events: Events
  readonly ledger: Ledger
  readonly settings: Settings
  readonly registry: Registry
  readonly secrets: Secrets
  readonly log: Logger
  readonly channels: CachedValue<ChannelDirectory>
  readonly rateLimiter: RateLimiter
  readonly send: Send
  readonly safeFetch: SafeFetch
  readonly rootNotifier: RootNotifier
  readonly sendNotification: SendNotification
  readonly metrics: MetricsRegistry
  /** Identifies this process among those that share the database. */
  readonly processId: string
  readonly installation: Installation
  readonly backup: BackupConfig
  /** Undefined in tests that keep no files. */
  readonly dataDir: string | undefined
  /** The folder of the built documentation site. */
  readonly docsFolder: string
  /** Undefined: tracing is off. */
  readonly tracing: TracingConfig | undefined
  readonly relay: RelayServices
  /** The request pipeline, which is complete once all features have started. */
  relayContext(): RelayContext
  /** The management API, which is complete once all features have started. */
  endpoints(): readonly AnyEndpoint[]
  /** A kind of subject that a feature declares, once all have started. */
  budgetSubject(kind: string): BudgetSubjectKind | undefined
}

/** What a command may use: what the program ships with, its schema, and who listens. */
export interface CommandContext extends Program {
  readonly features: ReadonlyMap<string, Feature>
  readonly migrations: readonly Migration[]
  readonly events: Events
  /** All system options. */
  readonly options: Options
}

/** A command of `tollgate`. */
export interface Command {
  /** What it does, in one line of `tollgate help`. */
  readonly summary: string
  /** What `--help` prints after it. */
  readonly usage: string
  readonly takesArguments: boolean
  /** Returns the exit code. */
  run(args: readonly string[], context: CommandContext): Promise<number>
}

/** What a feature adds to `tollgate verify`, which may run beside a gateway or without one. */
export interface Proof {
  /** Differences found; 0: none. */
  readonly drift: number
  /** Shown beside those of the ledger, by label. */
  readonly counts?: Readonly<Record<string, number>>
  readonly lines: readonly string[]
}

export interface VerifyContext {
  readonly database: OpenDatabase
  readonly config: Pick<Config, 'dataDir' | 'secretKey'>
}

/** The server's half of a feature, a folder in `features`. */
export interface Feature {
  /** System options that this feature alone reads, from its `options.ts`: the settings show them, `settings.of` has their values. */
  readonly options?: Options
  /** Steps of the schema, each in a file of `migrations` named as the migration. Numbers are shared by all folders. */
  readonly migrations?: readonly Migration[]
  /** Commands by name: `tollgate <name>`. */
  readonly commands?: Readonly<Record<string, Command>>
  /** Its part of `tollgate verify`. */
  readonly verify?: (context: VerifyContext) => Promise<Proof>
  /** Listeners work in the transaction of their event, also while no gateway runs: so they are no part of a running feature. */
  readonly on?: Partial<Events>
  /** Called once at start. State lives in its closure. */
  start?(services: Services): FeatureParts
}

/** A kind of subject that budgets may bound. */
export interface BudgetSubjectKind {
  /** In rejections: `the monthly budget of the member`. */
  readonly name: BothLanguages
  /** Whether the API changes its budgets; otherwise only the feature does. */
  readonly isOpen: boolean
  /** The user whose wallet pays for its requests. Undefined when there is no such subject. */
  findPayer(db: Database, id: number): Promise<number | undefined>
  /** Undefined for a kind that no report groups by. */
  findNames?(db: Database, ids: readonly number[]): Promise<ReadonlyMap<number, string>>
}

/** What a feature adds to the running program. */
export interface FeatureParts {
  /**
   * Endpoints of the management API, made by `handle`. They are parts of a running feature, since handlers share its state;
   * what only reads endpoints, as the tests of roles do, reads those of a test app.
   */
  readonly routes?: readonly Route[]
  /** Whom budgets bound beside users and tokens, by kind. */
  readonly budgetSubjects?: Readonly<Record<string, BudgetSubjectKind>>
  /** Paths of the relay: lookups, operations, tasks. */
  readonly paths?: readonly RelayRoute[]
  readonly relay?: RelayHooks
  /**
   * Finds the token behind a key that is stored with no token. Undefined at once for keys that are none of its kind; throws
   * GatewayError for those that are and may not be used.
   */
  findCaller?(
    key: string,
    client: Pick<ClientConnection, 'clientIp'>,
  ): Promise<CallerRow | undefined> | undefined
  actFor?: ActFor
  /** Paths with formats of their own, beside the management API and the relay. */
  readonly plainRoutes?: readonly PlainRoute[]
  /** Whether the relay serves a path that is none of its usual ones. */
  isRelayPath?(path: string): boolean
  /** Is told of each relayed request that is over; closed last. */
  readonly observer?: RelayObserver & { close?(): Promise<void> }
  /** Begun once holds of the dead are released, unless the process is a test. */
  readonly jobs?: readonly Job[]
  /** Ends what the feature does, before what it uses is closed. */
  stop?(): Promise<void>
}

/** Background work. Called to begin it; returns the function that ends it. */
export type Job = () => () => Promise<void>

/** Declares a feature in `features/<name>/server/index.ts`, the file that the program finds by its folder. */
export const defineFeature = (feature: Feature): Feature => feature
