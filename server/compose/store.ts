import { openSettings, type Settings } from '../api/settings.ts'
import type { Config } from '../config/config.ts'
import { newRequestId } from '../core/ids.ts'
import { type RateLimiter, createLocalRateLimiter, createFallbackRateLimiter } from '../core/rate-limit.ts'
import type { Logger } from '../core/logger.ts'
import { createSecrets, type Secrets } from '../core/crypto.ts'
import { type Database, detectEngine, migrate, type OpenDatabase, openDatabase, lockDatabaseFile } from '../db/engine/database.ts'
import { type CachedValue, createCachedValue } from '../db/engine/cached-value.ts'
import type { Engine } from '../db/migrations/migration.ts'
import { openSharedRateWindows } from '../db/system/shared-rate-windows.ts'
import { startWriteBack } from '../db/engine/write-back.ts'
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
  readonly channels: CachedValue<ChannelDirectory>
  readonly ledger: Ledger
  readonly log: Logger
  /** This process among those that share the database. */
  readonly processId: string
  readonly rateLimiter: RateLimiter
  readonly send: Send
  readonly outside: Outside
  /** Gives a database file free for another process. */
  close(): Promise<void>
}

/** Brings the schema up to date and reads what is kept in memory. */
export async function openStore(
  config: Config,
  providers: Parameters<typeof openRegistry>[0],
  log: Logger,
): Promise<Store> {
  const letGo =
    detectEngine(config.databaseUrl) === 'sqlite' ? lockDatabaseFile(config.databaseUrl) : () => undefined
  const database = openDatabase({ url: config.databaseUrl, durability: config.durability })
  await migrate(database)
  database.startStallDetection()
  const { db, engine } = database
  const stopWriteBack =
    engine === 'sqlite' ? startWriteBack({ db, path: config.databaseUrl, log }) : () => undefined
  const secrets = createSecrets(config.secretKey)
  await requireOwnKey(db, secrets)
  const processId = newRequestId()
  const settings = await openSettings({ db, secrets, log })
  const registry = openRegistry(providers)
  const load = () => loadChannelDirectory({ db, registry, secrets, log })
  const channels = await createCachedValue({ db, subject: 'channels', load })
  const rateLimiter = openRateWindows(config, database, log)
  const egress = openEgress({ allowed: config.egressAllowed })
  const send = openSend(config)
  const outside = openOutside({ db, settings, secrets, log, rateLimiter, send, egress, parties: PARTIES })
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
    await rateLimiter.close()
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
    rateLimiter,
    send,
    outside,
    close,
  }
}

/** In Redis where one is named, else in PostgreSQL, else, with a database of its own, in this process. */
function openRateWindows({ redisUrl }: Config, { db, engine }: OpenDatabase, log: Logger): RateLimiter {
  const local = createLocalRateLimiter()
  if (redisUrl === undefined && engine === 'sqlite') return local
  const shared = redisUrl === undefined ? openSharedRateWindows(db, log) : openRedisRateWindows(redisUrl, log)
  return createFallbackRateLimiter(shared, local, log)
}
