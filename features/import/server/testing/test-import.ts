import { Database as SqliteFile } from 'bun:sqlite'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { loadProviders } from '#server/compose/modules.ts'
import { createSecrets, type Secrets } from '#server/core/crypto.ts'
import type { Database } from '#server/db/engine/database.ts'
import { openTestDatabase } from '#server/db/testing.ts'
import type { Send } from '#server/http-client/send.ts'
import { createRegistry } from '#server/providers/registry.ts'
import { options } from '#server/testing/options.ts'
import { makeTemporaryFolder } from '../../../../tests/harness/temporary-folder.ts'
import { type ImportRequest, importGateway } from '../import-gateway.ts'
import type { ImportReport } from '../import-report.ts'
import type { ImportSource } from '../import-source.ts'

const FIXTURES = join(import.meta.dir, '..', 'fixtures')
const providers = loadProviders()

/** An empty database, and a folder for what is imported into it. */
export interface TestImport {
  readonly db: Database
  readonly secrets: Secrets
  readonly folder: string
  /** Writes a file below the folder, and returns its path. */
  writeFile(name: string, text: string): string
  /** Writes a SQLite file with the rows of a fixture. Further statements make it as dirty as real ones. */
  writeSource(name: string, ...statements: readonly string[]): string
  run(
    location: string,
    sources: readonly ImportSource[],
    request?: Partial<ImportRequest>,
  ): Promise<ImportReport>
  close(): Promise<void>
}

/** `send`: what stands in for the providers of probes. */
export async function openTestImport(send?: Send): Promise<TestImport> {
  const folder = makeTemporaryFolder()
  const database = await openTestDatabase()
  const secrets = createSecrets('the secret key of the test')
  const target = {
    database,
    secrets,
    registry: createRegistry(await providers),
    options,
    ...(send && { send }),
  }
  const pathOf = (name: string) => join(folder.path, name)
  return {
    db: database.db,
    secrets,
    folder: folder.path,
    writeFile(name, text) {
      mkdirSync(dirname(pathOf(name)), { recursive: true })
      writeFileSync(pathOf(name), text)
      return pathOf(name)
    },
    writeSource(name, ...statements) {
      const file = new SqliteFile(pathOf(`${name}.db`), { create: true })
      file.exec('begin')
      file.exec(readFileSync(join(FIXTURES, `${name}.sql`), 'utf8'))
      for (const statement of statements) file.exec(statement)
      file.exec('commit')
      file.close()
      return pathOf(`${name}.db`)
    },
    run: (location, sources, request = {}) =>
      importGateway({ ...PLAIN_REQUEST, location, ...request }, target, sources),
    async close() {
      await database.close()
      folder.remove()
    },
  }
}

const PLAIN_REQUEST = {
  isDryRun: false,
  logsFrom: undefined,
  saltKey: undefined,
  passphrase: undefined,
  variable: () => undefined,
} as const
