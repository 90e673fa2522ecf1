import { openSettings, type Settings } from '../api/settings.ts'
import type { Config } from '../config/config.ts'
import { newRequestId } from '../core/id.ts'
import { openLocalRateWindows } from '../core/local-rate-windows.ts'
import type { Log } from '../core/log.ts'
import type { RateWindows } from '../core/rate-windows.ts'
import { openSecrets, type Secrets } from '../core/secrets.ts'
import { openSteadyRateWindows } from '../core/steady-rate-windows.ts'
import { claimDatabaseFile } from '../db/claim-database-file.ts'
import { type Database, engineOf, migrate, type OpenDatabase, openDatabase } from '../db/database.ts'
import { type Live, openLive } from '../db/live.ts'
import type { Engine } from '../db/migrations/migration.ts'
import { openSharedRateWindows } from '../db/shared-rate-windows.ts'
import { startWriteBack } from '../db/write-back.ts'
import { PARTIES } from '../integrations/parties.ts'
import { openRedisRateWindows } from '../integrations/redis-rate-windows.ts'
import { type Ledger, openLedger } from '../ledger/ledger.ts'
import { openRegistry, type Registry } from '../providers/registry.ts'
import { type ChannelDirectory, loadChannelDirectory } from '../relay/routing/channel-directory.ts'
import { openEgress } from '../relay/upstream/safe-fetch.ts'
import { openSend, type Send } from '../relay/upstream/send.ts'
import { type Outside, openOutside } from './integrations.ts'
import { requireOwnKey } from './require-own-key.ts'

/** What is kept, and what of it stays in memory. */
export interface Store {
  readonly database: OpenDatabase
  readonly db: Database
  readonly engine: Engine
  readonly secrets: Secrets
  readonly settings: Settings
  readonly registry: Registry
  readonly channels: Live<ChannelDirectory>
  readonly ledger: Ledger
  readonly log: Log
  /** This process among those that share the database. */
  readonly processId: string
  readonly rateWindows: RateWindows
  readonly send: Send
  readonly outside: Outside
  /** Gives a database file free for another process. */
  close(): Promise<void>
}

/** Brings the schema up to date and reads what is kept in memory. */
export async function openStore(
  config: Config,
  providers: Parameters<typeof openRegistry>[0],
  log: Log,
): Promise<Store> {
  const letGo =
    engineOf(config.databaseUrl) === 'sqlite' ? claimDatabaseFile(config.databaseUrl) : () => undefined
  const database = openDatabase({ url: config.databaseUrl, durability: config.durability })
  await migrate(database)
  database.expectAnswers()
  const { db, engine } = database
  const stopWriteBack =
    engine === 'sqlite' ? startWriteBack({ db, path: config.databaseUrl, log }) : () => undefined
  const secrets = openSecrets(config.secretKey)
  await requireOwnKey(db, secrets)
  const processId = newRequestId()
  const settings = await openSettings({ db, secrets, log })
  const registry = openRegistry(providers)
  const load = () => loadChannelDirectory({ db, registry, secrets, log })
  const channels = await openLive({ db, topic: 'channels', load })
  const rateWindows = openRateWindows(config, database, log)
  const egress = openEgress({ allowed: config.egressAllowed })
  const send = openSend(config)
  const outside = openOutside({ db, settings, secrets, log, rateWindows, send, egress, parties: PARTIES })
  const ledger = openLedger({
    db,
    engine,
    log,
    processId,
    isConsumptionLogged: () => settings.current().values.LogConsumeEnabled,
    onCharged: outside.balanceWatch.note,
  })
  const close = async () => {
    await outside.close()
    await rateWindows.close()
    await stopWriteBack()
    await database.close()
    letGo()
  }
  return {
    database,
    db,
    engine,
    secrets,
    settings,
    registry,
    channels,
    ledger,
    log,
    processId,
    rateWindows,
    send,
    outside,
    close,
  }
}

/** In Redis where one is named, else in PostgreSQL, else, with a database of its own, in this process. */
function openRateWindows({ redisUrl }: Config, { db, engine }: OpenDatabase, log: Log): RateWindows {
  const local = openLocalRateWindows()
  if (redisUrl === undefined && engine === 'sqlite') return local
  const shared = redisUrl === undefined ? openSharedRateWindows(db, log) : openRedisRateWindows(redisUrl, log)
  return openSteadyRateWindows(shared, local, log)
}
