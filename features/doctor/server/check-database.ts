import { existsSync } from 'node:fs'
import { CHANNEL_STATUS } from '#contract/enums.ts'
import { systemOptions } from '#contract/options/system-options.ts'
import type { Config } from '#server/config/config.ts'
import { withTimeout } from '#server/core/async.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { createSecrets } from '#server/core/crypto.ts'
import { errorMessage } from '#server/core/errors.ts'
import { noopLogger } from '#server/core/logger.ts'
import { type ChannelRow, listChannels } from '#server/db/channels/channels.ts'
import { detectEngine, type OpenDatabase, openDatabase } from '#server/db/engine/database.ts'
import { type DatabaseInspection, inspectDatabase } from '#server/db/engine/inspect.ts'
import { hasSharedSessions } from '#server/db/engine/shared-sessions.ts'
import type { Migration } from '#server/db/migrations/migration.ts'
import { openReaders } from '#server/db/readers/readers.ts'
import { selectOptions } from '#server/db/system/options.ts'
import { compareSecretKey } from '#server/settings/secret-key.ts'
import { loadSettings } from '#server/settings/settings.ts'
import { type CheckResult, checkProblem, ok } from './check-result.ts'
import { type FileGrowth, GROWTH_SECONDS, readFileGrowth, readReplication } from './queries.ts'
import { describeReplication } from './standby/describe-replication.ts'

const CHANNELS_MAX = 1000
const RESPONSE_TIMEOUT_MS = 15_000

/** The checks of the database, and what further checks need from it. */
export interface DatabaseFindings {
  readonly results: readonly CheckResult[]
  readonly channels: readonly ChannelRow[]
  /** The address of the installation, as the options name it. */
  readonly serverAddress: string
  readonly serverMs: number | undefined
  /** Undefined on PostgreSQL, and where there is no log. */
  readonly growth?: FileGrowth | undefined
}

const NOTHING_STORED = { channels: [], serverAddress: '', serverMs: undefined } as const

/** Connects to the database, which is not created when it is a file that does not exist. */
export async function checkDatabase(
  config: Config,
  migrations: readonly Migration[],
): Promise<DatabaseFindings> {
  if (detectEngine(config.databaseUrl) === 'sqlite' && !existsSync(config.databaseUrl)) {
    const finding = {
      zh: `${config.databaseUrl} 尚不存在，首次启动时创建`,
      en: `${config.databaseUrl} does not exist; the first start creates it`,
    }
    return { results: [ok('database', finding)], ...NOTHING_STORED }
  }
  try {
    const { databaseUrl: url, durability } = config
    const database = openDatabase({ url, durability }, migrations)
    try {
      return await withTimeout(RESPONSE_TIMEOUT_MS, readDatabase(database, config))
    } finally {
      await database.close()
    }
  } catch (cause) {
    return { results: [describeUnreachable(cause)], ...NOTHING_STORED }
  }
}

async function readDatabase(database: OpenDatabase, config: Config): Promise<DatabaseFindings> {
  const inspection = await inspectDatabase(database)
  const { serverMs, pending } = inspection
  const results = [describeDatabase(inspection)]
  if (database.engine === 'postgres' && inspection.isWritable) {
    results.push(describeReplication(await readReplication(database.db)))
    if (await hasSharedSessions(config.databaseUrl)) results.push(SHARED_SESSIONS)
  }
  // The queries of this program need its schema.
  if (pending.length > 0) return { ...NOTHING_STORED, results, serverMs }
  if (database.engine === 'postgres') await tryQueryPath(database)
  const { db } = database
  const secrets = createSecrets(config.secretKey)
  const key = describeKey(await compareSecretKey(db, secrets))
  const settings = await loadSettings({ db, secrets, log: noopLogger, options: systemOptions })
  const filter = { type: 0, keyword: '', keyHash: '', model: '', group: '' }
  const page = { offset: 0, limit: CHANNELS_MAX, isById: true }
  return {
    results: [...results, key],
    channels: await listChannels(db, { ...filter, status: CHANNEL_STATUS.enabled }, page),
    serverAddress: settings.current().values.ServerAddress,
    serverMs,
    growth:
      database.engine === 'sqlite' ? await readFileGrowth(db, nowSeconds() - GROWTH_SECONDS) : undefined,
  }
}

const SHARED_SESSIONS = ok('pooler', {
  zh: '中间的连接池按事务共享会话：语句不做预编译，其他进程的更改按轮询间隔生效',
  en: 'a pooler in between shares sessions by transaction: statements are not prepared, and changes of other processes are found by asking',
})

/** Asks over the connections that queries of the console have for themselves. */
async function tryQueryPath(database: OpenDatabase): Promise<void> {
  const readers = openReaders(database)
  try {
    await selectOptions(readers.forCaller({ key: 'doctor' }))
  } finally {
    await readers.close()
  }
}

/** Exported for tests: states that a test cannot bring a database into. */
export function describeDatabase(inspection: DatabaseInspection): CheckResult {
  const { version, pending, isEmpty, unknown, isWritable } = inspection
  if (!isWritable)
    return checkProblem(
      'fail',
      'database',
      { zh: `${version} 不接受写入`, en: `${version} does not accept writes` },
      {
        zh: '检查文件权限；使用 PostgreSQL 时，检查该账户的权限，以及 DATABASE_URL 是否指向主库而非只读副本',
        en: 'check the permissions of the file; with PostgreSQL, those of the account, and that DATABASE_URL is the primary server and not a replica',
      },
    )
  if (unknown.length > 0)
    return checkProblem(
      'fail',
      'database',
      {
        zh: `${version}：数据库由更新的版本迁移过（${unknown.join(', ')}）`,
        en: `${version}: a newer version has migrated the database (${unknown.join(', ')})`,
      },
      { zh: '安装该版本，或恢复迁移前的备份', en: 'install that version, or restore a backup from before' },
    )
  if (isEmpty)
    return ok('database', {
      zh: `${version}，为空，首次启动时创建表`,
      en: `${version}, empty; the first start creates its tables`,
    })
  if (pending.length > 0)
    return checkProblem(
      'warn',
      'database',
      {
        zh: `${version}，下次启动将迁移表结构（${pending.join(', ')}）`,
        en: `${version}; the next start migrates the schema (${pending.join(', ')})`,
      },
      { zh: '先备份数据库', en: 'back up the database first' },
    )
  return ok('database', { zh: `${version}，结构为最新`, en: `${version}, schema up to date` })
}

const describeUnreachable = (cause: unknown): CheckResult =>
  checkProblem(
    'fail',
    'database',
    {
      zh: `数据库无法使用：${errorMessage(cause)}`,
      en: `the database cannot be used: ${errorMessage(cause)}`,
    },
    {
      zh: '检查 DATABASE_URL、数据库服务器和 DATA_DIR 的权限',
      en: 'check DATABASE_URL, the database server, and the permissions of DATA_DIR',
    },
  )

function describeKey(comparison: Awaited<ReturnType<typeof compareSecretKey>>): CheckResult {
  if (comparison === 'unused')
    return ok('key', {
      zh: '数据库中还没有加密的内容',
      en: 'the database holds no secrets yet',
    })
  if (comparison === 'matches')
    return ok('key', { zh: '密钥与数据库相符', en: 'the secret key fits the database' })
  return checkProblem(
    'fail',
    'key',
    {
      zh: '密钥无法解密数据库中的内容',
      en: 'the secret key does not decrypt the secrets in the database',
    },
    {
      zh: '恢复与数据库对应的密钥：SECRET_KEY，或 DATA_DIR 中的文件 secret-key',
      en: 'restore the key that belongs to the database: SECRET_KEY, or the file secret-key in DATA_DIR',
    },
  )
}
