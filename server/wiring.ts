import type { ChannelTester } from './api/context.ts'
import { createFirstRoot } from './api/first-root.ts'
import { openSettings } from './api/settings.ts'
import { followOrders } from './api/top-ups/follow-orders.ts'
import type { Config } from './config.ts'
import { claimDatabaseFile } from './db/claim-database-file.ts'
import {
  type Database,
  engineOf,
  isMigrated,
  migrate,
  type OpenDatabase,
  openDatabase,
} from './db/database.ts'
import { keepFresh, openLive } from './db/live.ts'
import { openSharedRateWindows } from './db/shared-rate-windows.ts'
import { openDialects } from './dialects/dialects.ts'
import { type App, createApp } from './http/app.ts'
import type { Readiness } from './http/probes.ts'
import { routesOf } from './http/routes-of.ts'
import { type FileSet, openStaticFiles } from './http/static-files.ts'
import { startOrderFollowing } from './jobs/follow-orders.ts'
import { startHoldRecovery } from './jobs/recover-holds.ts'
import { nowSeconds } from './kernel/clock.ts'
import { messageOf } from './kernel/errors.ts'
import { newRequestId } from './kernel/id.ts'
import { openLocalRateWindows } from './kernel/local-rate-windows.ts'
import type { Log } from './kernel/log.ts'
import type { RateWindows } from './kernel/rate-windows.ts'
import { openSecrets } from './kernel/secrets.ts'
import { openSteadyRateWindows } from './kernel/steady-rate-windows.ts'
import { labFetch } from './lab/lab.ts'
import { openLedger } from './ledger/ledger.ts'
import { mailServerOf } from './mail-server-of.ts'
import type { Modules } from './modules.ts'
import { type Mailer, openMailer } from './outside/mailer.ts'
import { PARTIES } from './outside/parties.ts'
import { openRegistry } from './providers/registry.ts'
import { openCallerLookup } from './relay/caller-lookup.ts'
import { loadChannelDirectory } from './relay/channel-directory.ts'
import { openCredentials } from './relay/credentials.ts'
import { openEgress } from './relay/egress.ts'
import type { Gateway } from './relay/gateway.ts'
import { openRelayMetrics } from './relay/metrics.ts'
import { relay } from './relay/pipeline.ts'
import { send } from './relay/send.ts'
import { testChannel, testUnsavedChannel } from './relay/test-channel.ts'
import { RELAY_TIMEOUTS } from './relay/timeouts.ts'
import { relaySettingsOf } from './relay-settings.ts'

export interface WiringParts {
  readonly config: Config
  readonly modules: Modules
  readonly consoleFiles: FileSet
  readonly version: string
  readonly log: Log
}

export interface Wired {
  readonly app: App
  /** Set when this start created the first account: to be shown once. */
  readonly rootPassword: string | undefined
  /** `/readyz` answers 503 from now on. */
  drain(): void
  /** Writes what is still waiting and lets everything go. */
  close(): Promise<void>
}

/** Puts the parts together: database, settings, vendors, ledger, relay, management API. The only place that knows all of them. */
export async function wire(parts: WiringParts): Promise<Wired> {
  const { config, log } = parts
  const core = await openCore(parts)
  const { database, secrets, settings, registry, channels, ledger, processId } = core
  const { db, engine } = database
  const rootPassword = await createFirstRoot({
    db,
    ...(config.rootPassword && { password: config.rootPassword }),
  })
  const stopFreshness = keepFresh([settings, channels], log)
  const stopRecovery = await startHoldRecovery({ db, engine, ledger, log, processId })
  const stopFollowing = startOrderFollowing({ db, settings, send, log }, followOrders)
  const gateway = gatewayOf(core, parts)
  const mailServer = () => mailServerOf(settings.current().values)
  const mailer = openMailer({ log, server: mailServer, authority: PARTIES.mailAuthority })
  const readiness = openReadiness(database)
  const metrics = openRelayMetrics()
  const app = createApp({
    ...parts,
    db,
    settings,
    registry,
    secrets,
    send,
    channelTester: testerOf(gateway),
    parties: PARTIES,
    mailer,
    rateWindows: core.rateWindows,
    installation: { version: parts.version, startedAt: nowSeconds() },
    routes: routesOf(parts.modules.resources),
    relay: metrics.counted((request, door) => relay(request, door, gateway)),
    lives: [settings, channels],
    trustedProxies: config.trustedProxies,
    files: openStaticFiles(parts.consoleFiles),
    readiness: readiness.read,
    metrics: metrics.render,
    ...(config.isDevelopment && { lab: labFetch }),
  })
  return {
    app,
    rootPassword,
    drain: readiness.drain,
    close: () => closeAll({ ...core, app, mailer, stopFollowing, stopFreshness, stopRecovery }),
  }
}

type Core = Awaited<ReturnType<typeof openCore>>

/** What everything else stands on: the database, the settings, the vendors and the books. */
async function openCore({ config, modules, log }: WiringParts) {
  const letGo =
    engineOf(config.databaseUrl) === 'sqlite' ? claimDatabaseFile(config.databaseUrl) : () => undefined
  const database = openDatabase({ url: config.databaseUrl, durability: config.durability })
  await migrate(database)
  const { db, engine } = database
  const secrets = openSecrets(config.secretKey)
  const processId = newRequestId()
  const settings = await openSettings({ db, secrets, log })
  const registry = openRegistry(modules.providers)
  const load = () => loadChannelDirectory({ db, registry, secrets, log })
  const channels = await openLive({ db, topic: 'channels', load })
  const isConsumptionLogged = () => settings.current().values.LogConsumeEnabled
  const ledger = openLedger({ db, engine, log, processId, isConsumptionLogged })
  const rateWindows = engine === 'sqlite' ? openLocalRateWindows() : sharedRateWindows(db, log)
  return { letGo, database, secrets, processId, settings, registry, channels, ledger, rateWindows }
}

const gatewayOf = (
  { database: { db }, secrets, settings, registry, channels, ledger, rateWindows }: Core,
  { config, modules, log }: WiringParts,
): Gateway => ({
  db,
  ledger,
  callers: openCallerLookup(db),
  registry,
  dialects: openDialects(modules.dialects),
  secrets,
  log,
  channels,
  settings: following(() => settings.current().values, relaySettingsOf),
  send,
  egress: openEgress({ allowed: config.egressAllowed }),
  credentials: openCredentials(send),
  timeouts: RELAY_TIMEOUTS,
  rateWindows,
})

const sharedRateWindows = (db: Database, log: Log): RateWindows =>
  openSteadyRateWindows(openSharedRateWindows(db, log), openLocalRateWindows(), log)

const testerOf = (gateway: Gateway): ChannelTester => ({
  testChannel: (id, wanted) => testChannel(gateway, id, wanted),
  testUnsaved: (channel, key, wanted) => testUnsavedChannel(gateway, { channel, key }, wanted),
})

/** A value derived from another, made anew only when that one is. */
function following<Source extends object, Value>(read: () => Source, derive: (source: Source) => Value) {
  let source: Source | undefined
  let value: Value
  return {
    current(): Value {
      const found = read()
      if (found !== source) value = derive(found)
      source = found
      return value
    },
  }
}

function openReadiness(database: OpenDatabase) {
  let isDraining = false
  return {
    drain() {
      isDraining = true
    },
    async read(): Promise<Readiness> {
      if (isDraining) return { isReady: false, reason: 'the process is shutting down' }
      try {
        return (await isMigrated(database))
          ? { isReady: true }
          : { isReady: false, reason: 'the database schema is not the version of this program' }
      } catch (error) {
        return { isReady: false, reason: `the database does not answer: ${messageOf(error)}` }
      }
    },
  }
}

interface Closing extends Pick<Core, 'ledger' | 'database' | 'letGo' | 'rateWindows'> {
  readonly app: App
  readonly stopFollowing: () => Promise<void>
  readonly mailer: Mailer
  readonly stopFreshness: () => Promise<void>
  readonly stopRecovery: () => Promise<void>
}

/** From the outside in: what still asks ends before what is asked. */
async function closeAll({
  app,
  stopFollowing,
  mailer,
  stopFreshness,
  ledger,
  stopRecovery,
  rateWindows,
  database,
  letGo,
}: Closing): Promise<void> {
  await app.close()
  await stopFollowing()
  await mailer.close()
  await stopFreshness()
  await ledger.close()
  await stopRecovery()
  await rateWindows.close()
  await database.close()
  letGo()
}
