import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type Config, readConfigWithoutWriting } from '#server/config/config.ts'
import { detectEngine, newerDatabase, openDatabase } from '#server/db/engine/database.ts'
import { type DatabaseInspection, inspectDatabase } from '#server/db/engine/inspect.ts'
import type { Engine } from '#server/db/migrations/migration.ts'
import type { CommandContext } from '#server/feature.ts'

const EXIT_USAGE_ERROR = 2

/** Notes for operators before a migration runs. Migrations without an entry take milliseconds. */
const NOTES: Readonly<Record<string, Partial<Record<Engine, string>>>> = {
  '0008-large-logs': {
    postgres:
      'partitions the log by month: reads all log rows once, about 4 s per million, while requests wait',
  },
  '0012-log-errors': {
    sqlite: 'finds the error of every failed request in the log: seconds per million log rows',
    postgres: 'finds the error of every failed request in the log: seconds per million log rows',
  },
}

/**
 * `tollgate upgrade --check`: says what the first start of this version does to the database. Changes nothing. Returns the exit
 * code: 1 when this version cannot run on the database.
 */
export async function checkUpgrade(
  args: readonly string[],
  { version, migrations }: CommandContext,
): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { check: { type: 'boolean', default: false } } })
  if (!values.check) {
    process.stderr.write(
      'tollgate upgrade: only --check is known; an upgrade is the start of a new version\n',
    )
    return EXIT_USAGE_ERROR
  }
  const config = readConfigWithoutWriting()
  const engine = detectEngine(config.databaseUrl)
  if (engine === 'sqlite' && !existsSync(config.databaseUrl)) {
    process.stdout.write(`${config.databaseUrl} does not exist: the first start creates it.\n`)
    return 0
  }
  const database = openDatabase(
    { url: config.databaseUrl, durability: config.durability, connections: 1 },
    migrations,
  )
  try {
    const inspection = await inspectDatabase(database)
    process.stdout.write(
      `${describeUpgrade(inspection, { engine, version, backup: config.backup }).join('\n')}\n`,
    )
    return inspection.unknown.length > 0 ? 1 : 0
  } finally {
    await database.close()
  }
}

interface UpgradeTarget extends Pick<Config, 'backup'> {
  readonly engine: Engine
  readonly version: string
}

/** Exported for tests: the lines for a state that a test cannot bring a database into. */
export function describeUpgrade(
  { version: server, pending, unknown, isEmpty }: DatabaseInspection,
  { engine, version, backup }: UpgradeTarget,
): readonly string[] {
  const title = `Tollgate ${version} on ${server}`
  if (unknown.length > 0) return [title, newerDatabase(unknown.join(', '))]
  if (isEmpty) return [title, 'The database is empty: the first start creates its tables.']
  if (pending.length === 0)
    return [title, 'The schema is that of this version: the next start changes nothing.']
  const steps = pending.map(name => {
    const note = NOTES[name]?.[engine]
    return note === undefined ? `  ${name}` : `  ${name}: ${note}`
  })
  return [
    title,
    `The next start applies ${pending.length} migrations, each in a transaction:`,
    ...steps,
    describeBackup(engine, backup),
    'An earlier version cannot start on the result: to go back, restore the backup.',
  ]
}

function describeBackup(engine: Engine, { isMadeBeforeUpgrade, folder }: Config['backup']): string {
  if (isMadeBeforeUpgrade && folder !== undefined) return `Before the first, it writes a backup to ${folder}.`
  if (isMadeBeforeUpgrade && engine === 'sqlite')
    return 'Before the first, it writes a backup to the folder backups of DATA_DIR.'
  return 'It makes no backup: run tollgate backup first, or set BACKUP_DIR.'
}
