import type { Config } from '../config/config.ts'
import { createSecrets, type Secrets } from '../core/crypto.ts'
import { newRequestId } from '../core/ids.ts'
import type { Logger } from '../core/logger.ts'
import { createFallbackRateLimiter, createLocalRateLimiter, type RateLimiter } from '../core/rate-limit.ts'
import { findNewestTokenKey } from '../db/accounts/tokens.ts'
import { findNewestChannelKey } from '../db/channels/channels.ts'
import { type CachedValue, createCachedValue } from '../db/engine/cached-value.ts'
import {
  type Database,
  detectEngine,
  lockDatabaseFile,
  migrate,
  type OpenDatabase,
  openDatabase,
} from '../db/engine/database.ts'
import { startWriteBack } from '../db/engine/write-back.ts'
import type { Engine } from '../db/migrations/migration.ts'
import { openReaders, type Readers } from '../db/readers/readers.ts'
import { createPostgresRateLimiter } from '../db/system/postgres-rate-limiter.ts'
import { PROVIDER_ENDPOINTS } from '../http-client/provider-request.ts'
import { createSafeFetch, type SafeFetch } from '../http-client/safe-fetch.ts'
import { createSend, type Send } from '../http-client/send.ts'
import { createRedisRateLimiter } from '../integrations/redis-rate-limiter.ts'
import { type Ledger, openLedger } from '../ledger/ledger.ts'
import { createRegistry, type Registry } from '../providers/registry.ts'
import { type ChannelDirectory, loadChannelDirectory } from '../relay/routing/channel-directory.ts'
import { compileServedPrices, loadSettings, type Settings } from '../settings/settings.ts'
import { createIntegrations, type Integrations } from './integrations.ts'
import { backUpBeforeUpgrade } from './upgrade-backup.ts'

/** Everything that holds state: the database, its caches and its writers. */
export interface Store {
  readonly database: OpenDatabase
  readonly db: Database
  readonly readers: Readers
  readonly engine: Engine
  readonly secrets: Secrets
  readonly settings: Settings
  readonly registry: Registry
  readonly channels: CachedValue<ChannelDirectory>
  readonly ledger: Ledger
  readonly log: Logger
  /** Identifies this process among the processes of the database. */
  readonly processId: string
  readonly rateLimiter: RateLimiter
  readonly send: Send
  readonly safeFetch: SafeFetch
  readonly integrations: Integrations
  /** Releases a database file for another process. */
  close(): Promise<void>
}

/** Locks a database file, migrates the schema and fills the caches. */
export async function openStore(
  config: Config,
  providers: Parameters<typeof createRegistry>[0],
  log: Logger,
): Promise<Store> {
  const unlockFile =
    detectEngine(config.databaseUrl) === 'sqlite' ? lockDatabaseFile(config.databaseUrl) : () => undefined
  const database = openDatabase({ url: config.databaseUrl, durability: config.durability })
  await backUpBeforeUpgrade(database, config, log)
  await migrate(database)
  database.startStallDetection()
  const { db, engine } = database
  const readers = openReaders(database)
  const stopWriteBack =
    engine === 'sqlite' ? startWriteBack({ db, readers, path: config.databaseUrl, log }) : () => undefined
  const secrets = createSecrets(config.secretKey)
  await requireMatchingSecretKey(db, secrets)
  const processId = newRequestId()
  const settings = await loadSettings({ db, secrets, log })
  const registry = createRegistry(providers)
  const load = async () => {
    const directory = await loadChannelDirectory({ db, registry, secrets, log })
    await compileServedPrices(settings.current().values, db)
    return directory
  }
  const channels = await createCachedValue({ db, subject: 'channels', load })
  const rateLimiter = createRateLimiter(config, database, log)
  const send = createSend(config)
  const safeFetch = createSafeFetch({ allowed: config.egressAllowed })
  const shared = { db, settings, secrets, log, rateLimiter, send, safeFetch }
  const integrations = createIntegrations({ ...shared, providerEndpoints: PROVIDER_ENDPOINTS })
  const ledger = openLedger({
    db,
    engine,
    log,
    processId,
    isConsumptionLogged: () => settings.current().values.LogConsumeEnabled,
    onCharged: integrations.lowBalanceMonitor.recordCharge,
  })
  return {
    ...shared,
    database,
    readers,
    engine,
    registry,
    channels,
    ledger,
    processId,
    integrations,
    async close() {
      await integrations.close()
      await rateLimiter.close()
      await stopWriteBack()
      await readers.close()
      await database.close()
      unlockFile()
    },
  }
}

/** Counts in Redis if configured, else in PostgreSQL, else (a single process on SQLite) in memory. */
function createRateLimiter({ redisUrl }: Config, { db, engine }: OpenDatabase, log: Logger): RateLimiter {
  const local = createLocalRateLimiter()
  if (redisUrl === undefined && engine === 'sqlite') return local
  const shared =
    redisUrl === undefined ? createPostgresRateLimiter(db, log) : createRedisRateLimiter(redisUrl, log)
  return createFallbackRateLimiter(shared, local, log)
}

/**
 * Throws when the secret key decrypts none of the newest secrets. A database restored without its key, or a machine with
 * a key of its own, would reject every client and encrypt new secrets that other processes cannot read.
 */
async function requireMatchingSecretKey(db: Database, secrets: Secrets): Promise<void> {
  if ((await compareSecretKey(db, secrets)) === 'differs')
    throw new Error(
      'the secret key does not decrypt the secrets in this database: restore the key that belongs to it (SECRET_KEY, or the file secret-key in DATA_DIR); if it is lost, see docs/operations/backup.md',
    )
}

/** Whether the secret key decrypts one of the newest secrets. `unused`: the database has none. */
export async function compareSecretKey(
  db: Database,
  secrets: Secrets,
): Promise<'matches' | 'differs' | 'unused'> {
  const keys = await Promise.all([findNewestTokenKey(db), findNewestChannelKey(db)])
  const encrypted = keys.filter(key => key !== undefined)
  if (encrypted.length === 0) return 'unused'
  return encrypted.some(text => canDecrypt(secrets, text)) ? 'matches' : 'differs'
}

function canDecrypt(secrets: Secrets, encrypted: string): boolean {
  try {
    secrets.decrypt(encrypted)
    return true
  } catch {
    return false
  }
}
