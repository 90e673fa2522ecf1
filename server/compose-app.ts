import { createFirstRoot } from './accounts/create-account.ts'
import {
  closeObservers,
  eventsOf,
  featuresOf,
  jobsOf,
  optionsOf,
  servedPartsOf,
  startFeatures,
  stopFeatures,
} from './compose/features.ts'
import { startJobs } from './compose/jobs.ts'
import { migrationsOf } from './compose/migrations.ts'
import { createMetrics, createRelayContext, createRelayServices } from './compose/relay.ts'
import { openStore } from './compose/store.ts'
import type { Config } from './config/config.ts'
import { nowSeconds } from './core/clock.ts'
import { MIB } from './core/limits.ts'
import type { Logger } from './core/logger.ts'
import type { MetricsRegistry } from './core/telemetry/metrics.ts'
import { type App, createApp } from './http/app.ts'
import { createReadinessCheck } from './http/probes.ts'
import { createResponseCounter } from './http/relay-handler.ts'
import { createStaticFiles, type FileSet } from './http/static-files.ts'
import type { Modules } from './program.ts'
import { relay } from './relay/pipeline.ts'
import type { RelayServices } from './relay/relay-services.ts'
import { followTasks } from './relay/tasks/follow-tasks.ts'
import { startTaskPolling } from './relay/tasks/polling.ts'

/** The lab loads with its first call: most gateways never have one. */
const fetchLab = async (request: Request): Promise<Response> =>
  (await import('./lab/open-lab.ts')).labFetch(request)

export interface ComposeOptions {
  readonly config: Config
  readonly modules: Modules
  readonly consoleFiles: FileSet
  readonly docsFolder: string
  readonly version: string
  readonly log: Logger
  /** Applied to every response before it is sent. */
  readonly finalizeResponse: (response: Response) => Response
}

export interface ComposedApp {
  readonly app: App
  /** The metrics of this process, for parts that measure the process itself. */
  readonly metrics: MetricsRegistry
  /** Set when this start created the first account: to be printed once. */
  readonly rootPassword: string | undefined
  /** Other processes share the database and may serve requests while this one shuts down. */
  readonly hasPeers: boolean
  /** Makes `/readyz` respond with 503, and stops reading responses whose clients have left. */
  drain(): void
  /** Stops everything in order: callers before what they call. Pending writes complete first. */
  close(): Promise<void>
}

/** The composition root: with its folder, the only place that knows every part of the server. */
export async function composeApp(options: ComposeOptions): Promise<ComposedApp> {
  const { config, modules, log, version } = options
  const features = featuresOf(modules.features)
  const store = await openStore({
    config,
    providers: modules.providers,
    migrations: migrationsOf(features),
    options: optionsOf(features),
    log,
  })
  const { database, db, integrations } = store
  const rootPassword = await createFirstRoot({
    db,
    ...(config.rootPassword && { password: config.rootPassword }),
  })
  await store.settings.refresh()
  const metrics = createMetrics(config, store)
  const installation = { version, startedAt: nowSeconds() }
  const respond: RelayServices['respond'] = (request, connection) => relay(request, connection, relayContext)
  const relayServices = createRelayServices(store, respond)
  const started = startFeatures(features, {
    ...store,
    ...integrations,
    metrics,
    installation,
    backup: config.backup,
    dataDir: config.dataDir,
    docsFolder: options.docsFolder,
    tracing: config.tracing,
    relay: relayServices,
    relayContext: () => relayContext,
  })
  const jobs = await startJobs(store, jobsOf(started))
  const parts = { store, config, modules, features: started, processCount: jobs.processCount }
  const relayContext = createRelayContext(parts, relayServices)
  const stopTasks = startTaskPolling(store, signal => followTasks(relayContext, signal))
  const readiness = createReadinessCheck(store, jobs.isWriting)
  const app = createApp({
    ...relayServices,
    ...store,
    ...integrations,
    installation,
    events: eventsOf(features),
    ...servedPartsOf(started),
    relay: respond,
    responseCounter: createResponseCounter(metrics),
    cachedValues: [store.settings, store.channels],
    readiness: readiness.read,
    metrics: metrics.render,
    ...httpSettingsOf(options),
  })
  return {
    app,
    metrics,
    rootPassword,
    hasPeers: database.engine === 'postgres',
    drain() {
      readiness.drain()
      relayContext.abandonedResponses.stop()
    },
    async close() {
      await stopFeatures(started)
      await stopTasks()
      await jobs.stop()
      await closeObservers(started)
      await store.close()
    },
  }
}

/** What the web server needs of files and environment. */
const httpSettingsOf = ({ config, consoleFiles, finalizeResponse }: ComposeOptions) => ({
  finalizeResponse,
  files: createStaticFiles(consoleFiles),
  trustedProxies: config.trustedProxies,
  clientAddressHeader: config.clientAddressHeader,
  basePath: config.basePath,
  bodyMemoryBytes: config.bodyMemoryMib * MIB,
  ...(config.isDevelopment && { lab: fetchLab }),
})
