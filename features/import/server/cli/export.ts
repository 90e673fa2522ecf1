import { closeSync, existsSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { recordCommand } from '#server/cli/command-change.ts'
import { readConfigWithoutWriting, readVariable } from '#server/config/config.ts'
import { createSecrets } from '#server/core/crypto.ts'
import { detectEngine, isMigrated, openDatabase } from '#server/db/engine/database.ts'
import type { CommandContext } from '#server/feature.ts'
import { exportGateway } from '../export-gateway.ts'

const EXIT_USAGE_ERROR = 2
/** The document names users and channels. */
const OWNER_ONLY = 0o600
const PASSPHRASE_LENGTH_MIN = 12
const BUFFER_CHARACTERS = 1_000_000

/** `tollgate export FILE`: writes users, tokens, channels, options and balances as one document. Returns the exit code. */
export async function exportCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const { migrations, options } = context
  const request = readRequest(args)
  if (typeof request === 'string') {
    process.stderr.write(`tollgate export: ${request}\n`)
    return EXIT_USAGE_ERROR
  }
  const { databaseUrl, durability, secretKey } = readConfigWithoutWriting()
  if (detectEngine(databaseUrl) === 'sqlite' && !existsSync(databaseUrl))
    throw new Error(`there is no database ${databaseUrl}: DATA_DIR and DATABASE_URL name it`)
  const database = openDatabase({ url: databaseUrl, durability }, migrations)
  try {
    if (!(await isMigrated(database)))
      throw new Error('the database is empty or has the schema of another version: start the gateway once')
    const { passphrase } = request
    const { db } = database
    const input = { file: request.path, with_secrets: passphrase !== undefined }
    const counts = await recordCommand({ command: 'export', secretKey, db, input }, context, () =>
      writeDocumentFile(request.path, write =>
        exportGateway({ db, secrets: createSecrets(secretKey), options, passphrase }, write),
      ),
    )
    const figures = Object.entries(counts).map(([table, count]) => `${count} ${table}`)
    process.stdout.write(
      `exported ${figures.join(', ')}${passphrase === undefined ? ', without secrets' : ''}\n`,
    )
    return 0
  } finally {
    await database.close()
  }
}

/** Returns the problem with the arguments as a sentence. */
function readRequest(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { 'with-secrets': { type: 'boolean', default: false } },
  })
  const [path, ...others] = positionals
  if (path === undefined) return 'a file is needed, such as tollgate.json'
  if (others.length > 0) return `only one file is written, found ${JSON.stringify(others[0])} too`
  if (existsSync(path)) return `${path} exists already`
  if (!values['with-secrets']) return { path, passphrase: undefined }
  const passphrase = readVariable('EXPORT_PASSPHRASE')
  if (passphrase === undefined || passphrase.length < PASSPHRASE_LENGTH_MIN)
    return `secrets are encrypted with a passphrase of at least ${PASSPHRASE_LENGTH_MIN} characters: give it as EXPORT_PASSPHRASE in the environment`
  return { path, passphrase }
}

/** A file under this name is always a whole document: an export that fails leaves none. */
async function writeDocumentFile<T>(
  path: string,
  work: (write: (text: string) => void) => Promise<T>,
): Promise<T> {
  const unfinished = `${path}.part`
  const file = openSync(unfinished, 'w', OWNER_ONLY)
  let buffer = ''
  const flush = () => {
    writeSync(file, buffer)
    buffer = ''
  }
  try {
    const result = await work(text => {
      buffer += text
      if (buffer.length > BUFFER_CHARACTERS) flush()
    })
    flush()
    renameSync(unfinished, path)
    return result
  } finally {
    closeSync(file)
    rmSync(unfinished, { force: true })
  }
}
