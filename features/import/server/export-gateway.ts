import { ROLE } from '#contract/enums.ts'
import type { Options } from '#contract/options/define-option.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { readTokenKey, type Secrets } from '#server/core/crypto.ts'
import { ownEntry } from '#server/core/json/json.ts'
import { findUserByRole } from '#server/db/accounts/users.ts'
import { inSnapshot } from '#server/db/billing/audit.ts'
import type { Database } from '#server/db/engine/database.ts'
import { selectOptions } from '#server/db/system/options.ts'
import {
  EXPORT_FORMAT,
  EXPORT_VERSION,
  ExportedChannel,
  ExportedToken,
  ExportedUser,
} from './export-document.ts'
import { createPassphraseCipher, type PassphraseCipher } from './passphrase-cipher.ts'
import { listRowsAfter } from './queries/export-rows.ts'
import { jsonObject } from './read-values.ts'

const ROWS_AT_ONCE = 2000

/** Tells gateways with different secret keys apart. */
export const installationOf = (secrets: Pick<Secrets, 'hash'>): string =>
  secrets.hash('installation', '').slice(0, 12)

export interface ExportRequest {
  readonly db: Database
  readonly secrets: Secrets
  /** All system options. */
  readonly options: Options
  /** Undefined: the document has no secrets. */
  readonly passphrase: string | undefined
}

type WriteText = (text: string) => void

/**
 * Writes the document part by part, from one snapshot of the database. Returns the number of rows by table.
 */
export async function exportGateway(
  { db, secrets, options: declared, passphrase }: ExportRequest,
  write: WriteText,
): Promise<Readonly<Record<string, number>>> {
  const cipher = passphrase === undefined ? undefined : createPassphraseCipher(passphrase)
  const encrypt = createEncryptor(cipher)
  const header = {
    format: EXPORT_FORMAT,
    version: EXPORT_VERSION,
    created_at: nowSeconds(),
    installation: installationOf(secrets),
    encryption: cipher?.encryption ?? null,
  }
  return inSnapshot(db, async tx => {
    const root = await findUserByRole(tx, ROLE.root)
    write(
      JSON.stringify({ ...header, root_created_at: root?.created_at ?? null }, null, 1).replace(/\n}$/, ''),
    )
    const options = await writeRows('options', listOptions(tx, { secrets, declared }, encrypt), write)
    const users = await writeRows('users', listUsers(tx, secrets, encrypt), write)
    const tokens = await writeRows('tokens', listTokens(tx, secrets, encrypt), write)
    const channels = await writeRows('channels', listChannels(tx, secrets, encrypt), write)
    write('\n}\n')
    return { options, users, tokens, channels }
  })
}

async function writeRows(table: string, rows: AsyncIterable<unknown>, write: WriteText): Promise<number> {
  write(`,\n ${JSON.stringify(table)}: [`)
  let count = 0
  for await (const row of rows) {
    write(`${count === 0 ? '' : ','}\n  ${JSON.stringify(row)}`)
    count += 1
  }
  write('\n ]')
  return count
}

/** Encrypts the secrets of a row that are set; nothing without a passphrase. */
type EncryptSecrets = (
  place: string,
  secrets: Readonly<Record<string, string>>,
) => { secrets?: Record<string, string> }

const createEncryptor =
  (cipher: PassphraseCipher | undefined): EncryptSecrets =>
  (place, secrets) => {
    const given = Object.entries(secrets).filter(([, value]) => value !== '')
    if (!cipher || given.length === 0) return {}
    return {
      secrets: Object.fromEntries(
        given.map(([name, value]) => [name, cipher.encrypt(value, `${place}/${name}`)]),
      ),
    }
  }

async function* listOptions(
  tx: Database,
  { secrets, declared }: { readonly secrets: Secrets; readonly declared: Options },
  encrypt: EncryptSecrets,
): AsyncGenerator<unknown> {
  for (const { key, value } of await selectOptions(tx)) {
    const isSecret = ownEntry(declared, key)?.isSecret ?? false
    const clear = isSecret && value !== '' ? secrets.decrypt(value) : value
    yield isSecret ? { key, ...encrypt(`options/${key}`, { value: clear }) } : { key, value }
  }
}

async function* listUsers(
  tx: Database,
  secrets: Secrets,
  encrypt: EncryptSecrets,
): AsyncGenerator<ExportedUser> {
  for (let after = 0; ; ) {
    const rows = await listRowsAfter(tx, 'users', after, ROWS_AT_ONCE)
    for (const row of rows) {
      const { webhook_url, webhook_secret, ...notification } = jsonObject(row.setting)
      const decrypted = (value: unknown) =>
        typeof value === 'string' && value !== '' ? secrets.decrypt(value) : ''
      yield {
        ...ExportedUser.parse({ ...row, quota: row.quota + row.held_quota, notification }),
        ...encrypt(`users/${row.id}`, {
          password_hash: row.password_hash,
          webhook_url: decrypted(webhook_url),
          webhook_secret: decrypted(webhook_secret),
        }),
      }
    }
    if (rows.length < ROWS_AT_ONCE) return
    after = rows.at(-1)?.id ?? after
  }
}

async function* listTokens(
  tx: Database,
  secrets: Secrets,
  encrypt: EncryptSecrets,
): AsyncGenerator<ExportedToken> {
  for (let after = 0; ; ) {
    const rows = await listRowsAfter(tx, 'tokens', after, ROWS_AT_ONCE)
    for (const row of rows) {
      const { text = '', sha256 = '' } = readTokenKey(secrets, row.key_sealed)
      yield { ...ExportedToken.parse(row), ...encrypt(`tokens/${row.id}`, { key: text, key_sha256: sha256 }) }
    }
    if (rows.length < ROWS_AT_ONCE) return
    after = rows.at(-1)?.id ?? after
  }
}

async function* listChannels(
  tx: Database,
  secrets: Secrets,
  encrypt: EncryptSecrets,
): AsyncGenerator<ExportedChannel> {
  for (let after = 0; ; ) {
    const rows = await listRowsAfter(tx, 'channels', after, ROWS_AT_ONCE)
    for (const row of rows)
      yield {
        ...ExportedChannel.parse(row),
        ...encrypt(`channels/${row.id}`, { key: secrets.decrypt(row.key_sealed) }),
      }
    if (rows.length < ROWS_AT_ONCE) return
    after = rows.at(-1)?.id ?? after
  }
}
