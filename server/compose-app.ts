import { createRepricing } from '#features/repricing/server/repricing.ts'
import { createFirstRoot } from './accounts/create-account.ts'
import { featuresOf, routesOf, startFeatures, stopFeatures } from './compose/features.ts'
import { startJobs } from './compose/jobs.ts'
import type { Modules } from './compose/modules.ts'
import {
  addStoreMetrics,
  createRelayContext,
  createRelayServices,
  createRelayTools,
  createTelemetry,
} from './compose/relay.ts'
import { openStore } from './compose/store.ts'
import type { Config } from './config/config.ts'
import { nowSeconds } from './core/clock.ts'
import { MIB } from './core/limits.ts'
import type { Logger } from './core/logger.ts'
import type { MetricsRegistry } from './core/telemetry/metrics.ts'
import { type App, createApp } from './http/app.ts'
import { createReadinessCheck } from './http/probes.ts'
import { createStaticFiles, type FileSet } from './http/static-files.ts'
import { PROVIDER_ENDPOINTS } from './http-client/provider-request.ts'
import { labFetch } from './lab/open-lab.ts'
import { relay } from './relay/pipeline.ts'
import type { RelayServices } from './relay/relay-services.ts'
import { followTasks } from './relay/tasks/follow-tasks.ts'
import { startTaskPolling } from './relay/tasks/polling.ts'

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
  const store = await openStore(config, modules.providers, log)
  const { database, db, integrations } = store
  const rootPassword = await createFirstRoot({
    db,
    ...(config.rootPassword && { password: config.rootPassword }),
  })
  const jobs = await startJobs(store, config)
  const telemetry = createTelemetry({ config, version, log, processId: store.processId })
  const { metrics } = telemetry.relayMetrics
  addStoreMetrics(metrics, store)
  const respond: RelayServices['respond'] = (request, connection) => relay(request, connection, relayContext)
  const relayServices = createRelayServices(store, respond)
  const services = { ...store, ...integrations, metrics, relay: relayServices }
  const features = startFeatures(featuresOf(modules.features), services)
  const parts = { store, config, modules, telemetry, features, processCount: jobs.processCount }
  const relayContext = createRelayContext(parts, relayServices)
  const stopTasks = startTaskPolling(store, signal => followTasks(relayContext, signal))
  const readiness = createReadinessCheck(database, jobs.isWriting)
  const app = createApp({
    ...store,
    ...integrations,
    ...createRelayTools(relayContext),
    providerEndpoints: PROVIDER_ENDPOINTS,
    channelNotifier: integrations.rootNotifier,
    backups: jobs.backups,
    repricing: createRepricing(database, log),
    installation: { version, startedAt: nowSeconds() },
    routes: routesOf(features),
    relay: respond,
    responseCounter: telemetry.relayMetrics.responses,
    finalizeResponse: options.finalizeResponse,
    cachedValues: [store.settings, store.channels],
    trustedProxies: config.trustedProxies,
    bodyMemoryBytes: config.bodyMemoryMib * MIB,
    files: createStaticFiles(options.consoleFiles),
    docsFolder: options.docsFolder,
    readiness: readiness.read,
    metrics: metrics.render,
    ...(config.isDevelopment && { lab: labFetch }),
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
      await stopFeatures(features)
      await app.close()
      await stopTasks()
      await jobs.stop()
      await telemetry.close()
      await store.close()
    },
  }
}
