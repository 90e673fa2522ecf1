import type { Config } from '../config/config.ts'
import { deriveOnChange } from '../core/derive-on-change.ts'
import { createMetricsRegistry, type MetricsRegistry } from '../core/telemetry/metrics.ts'
import { createSharedRefresh } from '../db/engine/cached-value.ts'
import { createDialects } from '../dialects/dialects.ts'
import { RELAY_TIMEOUTS } from '../http-client/read-response.ts'
import { createSafeFetch, createTargetCheck } from '../http-client/safe-fetch.ts'
import { connect } from '../http-client/send.ts'
import { createWorkerFetch } from '../http-client/worker-fetch.ts'
import { priceBookOf } from '../pricing/price-book.ts'
import type { Modules } from '../program.ts'
import { FailureLimit } from '../relay/admission/admit.ts'
import { createCallerLookup } from '../relay/admission/authenticate.ts'
import { OpenCalls } from '../relay/admission/open-calls.ts'
import { ProcessorBudget } from '../relay/admission/processor-budget.ts'
import type { PipelineContext } from '../relay/pipeline.ts'
import type { RelayServices } from '../relay/relay-services.ts'
import { AbandonedResponses } from '../relay/request/client-presence.ts'
import { createTracing } from '../relay/request/trace-context.ts'
import { AccountHandles } from '../relay/routing/account-handles.ts'
import { ChannelHealth } from '../relay/routing/channel-health.ts'
import { SessionAffinity } from '../relay/routing/session-affinity.ts'
import { combineObservers } from '../relay/telemetry/observer.ts'
import { createCredentials } from '../relay/upstream/credentials.ts'
import { callersOf, hooksOf, observersOf, pathsOf, type StartedFeatures } from './features.ts'
import { readFetchWorker } from './integrations.ts'
import type { Store } from './store.ts'

interface RelayContextDeps {
  readonly store: Omit<Store, 'database' | 'readers' | 'safeFetch' | 'processId' | 'close'>
  readonly config: Pick<Config, 'isBehindProxy' | 'egressAllowed' | 'tracing'>
  readonly modules: Pick<Modules, 'dialects'>
  /** How many processes share the database. */
  readonly processCount: () => number
  readonly features: StartedFeatures
}

/** What the relay has before features start. `respond`: serves a request as the running relay does. */
export function createRelayServices(
  store: Pick<Store, 'db' | 'secrets' | 'log' | 'settings' | 'rateLimiter'>,
  respond: RelayServices['respond'],
): RelayServices {
  const { db, secrets, log, settings, rateLimiter } = store
  const current = deriveOnChange(
    () => settings.current().values,
    values => ({ ...values, prices: priceBookOf(values) }),
  )
  return {
    settings: { current },
    callers: createCallerLookup({ db, log, secrets }),
    accountHandles: new AccountHandles({ db, secrets, log }),
    failureLimit: new FailureLimit({ rateLimiter, settings: { current } }),
    processorBudget: new ProcessorBudget(),
    openCalls: new OpenCalls({ db, log, settings: { current } }),
    respond,
  }
}

export function createRelayContext(deps: RelayContextDeps, services: RelayServices): PipelineContext {
  const { store, config, modules, processCount, features } = deps
  // Only one process serves from an embedded database, so its own changes are all there are.
  const hasPeers = store.engine === 'postgres'
  const { db, ledger, registry, secrets, log, channels, settings, rateLimiter, send, integrations } = store
  return {
    ...services,
    callers: callersOf(features, services.callers),
    db,
    ledger,
    registry,
    dialects: createDialects(modules.dialects),
    secrets,
    log,
    channels,
    refreshState: hasPeers ? createSharedRefresh([channels, settings]) : async () => undefined,
    health: new ChannelHealth(processCount),
    sessionAffinity: new SessionAffinity(),
    abandonedResponses: new AbandonedResponses(),
    send,
    connect,
    safeFetch: createWorkerFetch({
      worker: () => readFetchWorker(settings.current().values),
      safeFetch: createSafeFetch({ allowed: config.egressAllowed }),
      checkTarget: createTargetCheck({ allowed: config.egressAllowed }),
      send,
    }),
    credentials: createCredentials(send),
    timeouts: RELAY_TIMEOUTS,
    rateLimiter,
    observer: combineObservers(observersOf(features)),
    hooks: hooksOf(features, log),
    paths: pathsOf(features),
    tracing: config.tracing && createTracing(config.tracing),
    notifyChannelDisabled: integrations.rootNotifier.channelDisabled,
  }
}

/** Workers share a port, so a scrape reaches any of them: a label keeps their metrics apart. */
export function createMetrics({ workers }: Pick<Config, 'workers'>, store: MeasuredStore): MetricsRegistry {
  const metrics = createMetricsRegistry(workers > 1 ? { process: process.pid } : {})
  metrics.gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss())
  addStoreMetrics(metrics, store)
  return metrics
}

type MeasuredStore = Pick<Store, 'readers' | 'ledger'>

/** Running and queued queries of the management API, and the ledger's writes. */
function addStoreMetrics(metrics: MetricsRegistry, { readers, ledger }: MeasuredStore): void {
  metrics.gauge('tollgate_queries_running', 'Queries in progress.', () => readers.stats().running)
  metrics.gauge('tollgate_queries_waiting', 'Queries in the queue.', () => readers.stats().waiting)
  metrics.histogram('tollgate_ledger_commit_duration_seconds', 'Duration of ledger commits.', () => [
    [{}, ledger.stats().commitSeconds],
  ])
  metrics.histogram('tollgate_ledger_batch_commands', 'Commands that a ledger commit writes.', () => [
    [{}, ledger.stats().batchSizes],
  ])
  metrics.gauge(
    'tollgate_ledger_commands_waiting',
    'Ledger commands that wait for a commit.',
    () => ledger.stats().waiting,
  )
}
