import { existsSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { recordCommand } from '#server/cli/command-change.ts'
import { readConfig, readConfigWithoutWriting, readVariable } from '#server/config/config.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { createSecrets } from '#server/core/crypto.ts'
import {
  detectEngine,
  isMigrated,
  lockDatabaseFile,
  migrate,
  type OpenDatabase,
  openDatabase,
} from '#server/db/engine/database.ts'
import type { CommandContext } from '#server/feature.ts'
import { createRegistry } from '#server/providers/registry.ts'
import { importGateway } from '../import-gateway.ts'
import { type ImportReport, renderReport, renderSummary } from '../import-report.ts'
import type { ImportSource } from '../import-source.ts'
import { source as litellm } from '../sources/litellm/index.ts'
import { source as oneApi } from '../sources/one-api/index.ts'
import { source as tollgate } from '../sources/tollgate/index.ts'

/** The gateways whose data can be imported. */
const SOURCES: readonly ImportSource[] = [litellm, oneApi, tollgate]
const EXIT_USAGE_ERROR = 2
const DAY_SECONDS = 86_400
/** The report names users and channels. */
const OWNER_ONLY = 0o600

/**
 * `tollgate import SOURCE`: brings users, tokens, channels and the rest of another gateway. Returns the exit code.
 */
export async function importCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const { modules, migrations, options } = context
  const request = readRequest(args)
  if (typeof request === 'string') {
    process.stderr.write(`tollgate import: ${request}\n`)
    return EXIT_USAGE_ERROR
  }
  const { databaseUrl, durability, secretKey, rootPassword } = request.isDryRun
    ? readConfigWithoutWriting()
    : readConfig()
  const isFile = detectEngine(databaseUrl) === 'sqlite'
  const isInMemory = isFile && request.isDryRun && !existsSync(databaseUrl)
  const unlock = isFile && !isInMemory ? lockDatabaseFile(databaseUrl) : () => undefined
  const database = openDatabase({ url: isInMemory ? ':memory:' : databaseUrl, durability }, migrations)
  try {
    await prepare(database, request.isDryRun && !isInMemory)
    const target = {
      database,
      secrets: createSecrets(secretKey),
      registry: createRegistry(modules.providers),
      options,
      rootPassword,
    }
    const record = async (input: object) => {
      const change = { command: 'import', secretKey, db: database.db }
      if (!request.isDryRun)
        await recordCommand({ ...change, input: { source: request.location, ...input } }, context, () =>
          Promise.resolve(),
        )
    }
    // Batch by batch: an import that is killed has its beginning in the audit log.
    await record({})
    const report = await importGateway(request, target, SOURCES)
    await record({ brought: countsOf(report) })
    process.stdout.write(`${renderSummary(report)}\n`)
    if (request.reportPath !== undefined)
      writeFileSync(request.reportPath, renderReport(report), { mode: OWNER_ONLY })
    return 0
  } finally {
    await database.close()
    unlock()
  }
}

/** Rows that came, by table of the source. */
const countsOf = ({ tables }: ImportReport): object =>
  Object.fromEntries([...tables].map(([name, { brought }]) => [name, brought]))

async function prepare(database: OpenDatabase, mustNotWrite: boolean): Promise<void> {
  if (!mustNotWrite) return migrate(database)
  if (await isMigrated(database)) return
  throw new Error('the database is empty or has the schema of another version: start the gateway once')
}

/** Returns the problem with the arguments as a sentence. */
function readRequest(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      'dry-run': { type: 'boolean', default: false },
      probe: { type: 'boolean', default: false },
      compare: { type: 'boolean', default: false },
      report: { type: 'string' },
      logs: { type: 'string' },
      'salt-key': { type: 'string' },
    },
  })
  const [location, ...others] = positionals
  if (location === undefined) return 'a source is needed: a file, mysql://… or postgres://…'
  if (others.length > 0) return `only one source is imported at once, found ${JSON.stringify(others[0])} too`
  const logsFrom = values.logs === undefined ? undefined : readLogsFrom(values.logs)
  if (Number.isNaN(logsFrom))
    return `--logs needs days such as 90d, or all; found ${JSON.stringify(values.logs)}`
  return {
    location,
    isDryRun: values['dry-run'],
    isProbed: values.probe,
    isCompared: values.compare,
    reportPath: values.report,
    saltKey: values['salt-key'] ?? readVariable('LITELLM_SALT_KEY'),
    passphrase: readVariable('EXPORT_PASSPHRASE'),
    variable: readVariable,
    logsFrom,
  }
}

/** Unix seconds; NaN for a text that is neither `all` nor days. */
function readLogsFrom(text: string): number {
  const days = /^(\d{1,5})d$/.exec(text)?.[1]
  if (days === undefined) return text === 'all' ? 0 : Number.NaN
  return nowSeconds() - Number(days) * DAY_SECONDS
}
