import type { Options } from '#contract/options/define-option.ts'
import type { Config } from '../config/config.ts'
import { createSecrets, type Secrets } from '../core/crypto.ts'
import { newRequestId } from '../core/ids.ts'
import type { Logger } from '../core/logger.ts'
import { createFallbackRateLimiter, createLocalRateLimiter, type RateLimiter } from '../core/rate-limit.ts'
import { type CachedValue, createCachedValue } from '../db/engine/cached-value.ts'
import {
  type Database,
  detectEngine,
  lockDatabaseFile,
  migrate,
  type OpenDatabase,
  openDatabase,
  untilPromoted,
} from '../db/engine/database.ts'
import { startWriteBack } from '../db/engine/write-back.ts'
import type { Engine, Migration } from '../db/migrations/migration.ts'
import { openReaders, type Readers } from '../db/readers/readers.ts'
import { selectOptions } from '../db/system/options.ts'
import { createPostgresRateLimiter } from '../db/system/postgres-rate-limiter.ts'
import { PROVIDER_ENDPOINTS, type ProviderEndpoints } from '../http-client/provider-request.ts'
import { createSafeFetch, type SafeFetch } from '../http-client/safe-fetch.ts'
import { createSend, type Send } from '../http-client/send.ts'
import { type Ledger, openLedger } from '../ledger/ledger.ts'
import { createRegistry, type Registry } from '../providers/registry.ts'
import { type ChannelDirectory, loadChannelDirectory } from '../relay/routing/channel-directory.ts'
import { compareSecretKey } from '../settings/secret-key.ts'
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
  readonly providerEndpoints: ProviderEndpoints
  readonly integrations: Integrations
  /** Releases a database file for another process. */
  close(): Promise<void>
}

interface StoreOptions extends Pick<StoreParts, 'options'> {
  readonly config: Config
  readonly providers: Parameters<typeof createRegistry>[0]
  readonly migrations: readonly Migration[]
  readonly log: Logger
}

/** Locks a database file, migrates the schema and fills the caches. */
export async function openStore({
  config,
  providers,
  migrations,
  options,
  log,
}: StoreOptions): Promise<Store> {
  const unlockFile =
    detectEngine(config.databaseUrl) === 'sqlite' ? lockDatabaseFile(config.databaseUrl) : () => undefined
  const database = openDatabase({ url: config.databaseUrl, durability: config.durability }, migrations)
  await untilPromoted(database, log)
  await backUpBeforeUpgrade(database, config, log)
  await migrate(database)
  database.startStallDetection()
  const { db, engine } = database
  const readers = openReaders(database)
  // The query path has connections of its own, which a limit or a pooler in between may refuse.
  if (engine === 'postgres') await selectOptions(readers.forCaller({ key: 'start' }))
  const stopWriteBack =
    engine === 'sqlite' ? startWriteBack({ db, readers, path: config.databaseUrl, log }) : () => undefined
  const secrets = createSecrets(config.secretKey)
  await requireMatchingSecretKey(db, secrets)
  return fillStore({
    database,
    readers,
    secrets,
    providers,
    options,
    log,
    processId: newRequestId(),
    rateLimiter: await createRateLimiter(config, database, log),
    send: createSend(config),
    safeFetch: createSafeFetch({ allowed: config.egressAllowed }),
    providerEndpoints: PROVIDER_ENDPOINTS,
    async closeDatabase() {
      await stopWriteBack()
      await readers.close()
      await database.close()
      unlockFile()
    },
  })
}

/** What a store is filled from. Tests choose the database, and how requests leave the process. */
export interface StoreParts
  extends Pick<
    Store,
    | 'database'
    | 'readers'
    | 'secrets'
    | 'log'
    | 'processId'
    | 'rateLimiter'
    | 'send'
    | 'safeFetch'
    | 'providerEndpoints'
  > {
  readonly providers: Parameters<typeof createRegistry>[0]
  /** All system options. */
  readonly options: Options
  closeDatabase(): Promise<void>
}

/** Loads what is cached from a migrated database, and opens the ledger on it. */
export async function fillStore({ providers, options, closeDatabase, ...parts }: StoreParts): Promise<Store> {
  const { database, secrets, log, processId } = parts
  const { db, engine } = database
  const settings = await loadSettings({ db, secrets, log, options })
  const registry = createRegistry(providers)
  const load = async () => {
    const directory = await loadChannelDirectory({ db, registry, secrets, log })
    await compileServedPrices(settings.current().values, db)
    return directory
  }
  const channels = await createCachedValue({ db, subject: 'channels', load })
  const integrations = createIntegrations({ ...parts, db, settings })
  const ledger = openLedger({
    db,
    engine,
    log,
    processId,
    options: () => settings.current().values,
  })
  return {
    ...parts,
    db,
    engine,
    settings,
    registry,
    channels,
    integrations,
    ledger,
    async close() {
      await integrations.close()
      await parts.rateLimiter.close()
      await closeDatabase()
    },
  }
}

/** Counts in Redis if configured, whose library nobody else loads, else in PostgreSQL, else (a single process on SQLite) in memory. */
async function createRateLimiter(
  { redisUrl }: Config,
  { db, engine }: OpenDatabase,
  log: Logger,
): Promise<RateLimiter> {
  const local = createLocalRateLimiter()
  if (redisUrl === undefined && engine === 'sqlite') return local
  if (redisUrl === undefined) return createFallbackRateLimiter(createPostgresRateLimiter(db, log), local, log)
  const { createRedisRateLimiter } = await import('../integrations/redis-rate-limiter.ts')
  return createFallbackRateLimiter(createRedisRateLimiter(redisUrl, log), local, log)
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
