import { readFileSync, statSync } from 'node:fs'
import { z } from 'zod'
import { CHANNEL_STATUS } from '#contract/enums.ts'
import { errorMessage } from '#server/core/errors.ts'
import { MIB } from '#server/core/limits.ts'
import { omitNullish } from '#server/provider-kit/json.ts'
import {
  ExportedChannel,
  ExportedOption,
  ExportedToken,
  ExportedUser,
  ExportHeader,
} from '../../export-document.ts'
import type {
  ImportedChannel,
  ImportedOption,
  ImportedToken,
  ImportedUser,
  ImportSource,
  Reading,
  TableReader,
} from '../../import-source.ts'
import { openPassphraseCipher, type PassphraseCipher } from '../../passphrase-cipher.ts'
import type { SourceDatabase, SourceRow } from '../../queries/source-database.ts'
import { text } from '../../read-values.ts'

/** The document of `tollgate export`, of this or another Tollgate. */

const FILE_BYTES_MAX = 1024 * MIB
const HEADER_TABLE = 'tollgate-export'
const TABLES = ['options', 'users', 'tokens', 'channels'] as const

/** Not the names of other programs, whose databases have such tables. */
const tableOf = (name: (typeof TABLES)[number]): string => `exported ${name}`

export const source: ImportSource = {
  openFile: path => (/\.json$/i.test(path) ? openDocument(path) : undefined),

  recognize: tables => (tables.has(HEADER_TABLE) ? { program: 'Tollgate', missing: [] } : undefined),

  async open(database, _, { passphrase }) {
    const [row] = await database.readPage({ table: HEADER_TABLE, key: 'id', after: undefined, limit: 1 })
    const header = Header.parse(JSON.parse(text(row ?? {}, 'json')))
    const cipher = openCipher(header, passphrase)
    return {
      identity: `tollgate-${header.installation}`,
      origin: { installation: header.installation, rootCreatedAt: header.root_created_at },
      remarks: [
        'not brought: access tokens, sessions, codes, payments, tasks and log rows, which an export does not contain',
        ...(cipher
          ? []
          : ['the export has no secrets: passwords, keys of channels and secret options do not come']),
      ],
      options: [reader('options', 'key', row => readOption(row, cipher))],
      users: [reader('users', 'username', row => readUser(row, cipher))],
      tokens: [reader('tokens', 'name', row => readToken(row, cipher))],
      channels: [reader('channels', 'name', row => readChannel(row, cipher))],
    }
  },
}

const Header = ExportHeader.omit({ options: true, users: true, tokens: true, channels: true })

/** Each row is kept as its text; its members are checked when it is read, so that a bad one is named alone. */
function openDocument(path: string): SourceDatabase {
  const { options, users, tokens, channels, ...header } = parseDocument(path)
  const tables = new Map<string, readonly SourceRow[]>([
    [HEADER_TABLE, [{ id: 1, json: JSON.stringify(header) }]],
    ...TABLES.map(name => [tableOf(name), toRows({ options, users, tokens, channels }[name])] as const),
  ])
  return {
    tables: new Map([...tables].map(([name]) => [name, new Set(['id', 'json'])])),
    readPage: async ({ table, after, limit }) => {
      const rows = tables.get(table) ?? []
      const start = after === undefined ? 0 : rows.findIndex(row => row.id === after) + 1
      return rows.slice(start, start + limit)
    },
    close: async () => undefined,
  }
}

function parseDocument(path: string): z.output<typeof ExportHeader> {
  if (statSync(path).size > FILE_BYTES_MAX)
    throw new Error(`${path} is larger than ${FILE_BYTES_MAX / MIB} MiB`)
  try {
    return ExportHeader.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch (cause) {
    const reason = cause instanceof z.ZodError ? z.prettifyError(cause) : errorMessage(cause)
    throw new Error(`${path} is no export of Tollgate, or of another version: ${reason}`, { cause })
  }
}

const Named = z.looseObject({ id: z.union([z.number(), z.string()]).optional(), key: z.string().optional() })

/** A row without an id, or with that of another, is known by its number, so that the report can name it. */
function toRows(rows: readonly unknown[]): readonly SourceRow[] {
  const taken = new Set<number | string>()
  return rows.map((row, index) => {
    const named = Named.safeParse(row)
    const own = named.success ? (named.data.id ?? named.data.key) : undefined
    const id = own === undefined || taken.has(own) ? `row ${index + 1}` : own
    taken.add(id)
    return { id, json: JSON.stringify(row) }
  })
}

function openCipher(
  { encryption }: Pick<z.output<typeof ExportHeader>, 'encryption'>,
  passphrase: string | undefined,
): PassphraseCipher | undefined {
  if (encryption === null) return undefined
  if (passphrase === undefined)
    throw new Error(
      'the secrets of the export are encrypted: give the passphrase as EXPORT_PASSPHRASE in the environment',
    )
  return openPassphraseCipher(passphrase, encryption)
}

const reader = <Imported>(
  table: (typeof TABLES)[number],
  name: string,
  read: (row: SourceRow) => Reading<Imported>,
): TableReader<Imported> => ({
  table: tableOf(table),
  key: 'id',
  label: row => {
    const named = z.looseObject({ [name]: z.string() }).safeParse(JSON.parse(text(row, 'json')))
    return named.success ? String(named.data[name]) : ''
  },
  read,
})

interface WithSecrets {
  readonly secrets?: Readonly<Record<string, string>> | undefined
}

type OpenSecret = (name: string) => string

/** Parses a row and opens its secrets. A row that is not valid, or a secret that is damaged, does not come. */
function readEncrypted<Row extends WithSecrets, Imported>(
  row: SourceRow,
  { schema, place, cipher }: { schema: z.ZodType<Row>; place: string; cipher: PassphraseCipher | undefined },
  read: (row: Row, open: OpenSecret) => Reading<Imported>,
): Reading<Imported> {
  const parsed = schema.safeParse(JSON.parse(text(row, 'json')))
  if (!parsed.success) return { skip: `the row is not valid: ${z.prettifyError(parsed.error)}` }
  const { secrets = {} } = parsed.data
  const open: OpenSecret = name => {
    const encrypted = secrets[name]
    return encrypted === undefined || !cipher
      ? ''
      : cipher.decrypt(encrypted, `${place}/${text(row, 'id')}/${name}`)
  }
  try {
    return read(parsed.data, open)
  } catch {
    return { skip: 'its secrets are damaged, or belong to another row' }
  }
}

const readOption = (row: SourceRow, cipher: PassphraseCipher | undefined): Reading<ImportedOption> =>
  readEncrypted(row, { schema: ExportedOption, place: 'options', cipher }, ({ key, value }, open) => {
    const clear = value ?? open('value')
    return clear === ''
      ? { skip: 'the option is secret, or empty' }
      : { record: { key, value: clear }, notes: [] }
  })

const readUser = (row: SourceRow, cipher: PassphraseCipher | undefined): Reading<ImportedUser> =>
  readEncrypted(row, { schema: ExportedUser, place: 'users', cipher }, (user, open) => {
    const { id, inviter_id, secrets: _, notification, ...columns } = user
    const webhook_url = open('webhook_url')
    const webhook_secret = open('webhook_secret')
    return {
      record: {
        ...columns,
        originalId: id,
        inviter: inviter_id > 0 ? inviter_id : undefined,
        password_hash: open('password_hash'),
        accessToken: '',
        notification: {
          ...omitNullish(notification),
          ...(webhook_url && { webhook_url }),
          ...(webhook_secret && { webhook_secret }),
        },
      },
      notes: cipher ? [] : ['came without a password: the user must set a new one'],
    }
  })

const readToken = (row: SourceRow, cipher: PassphraseCipher | undefined): Reading<ImportedToken> =>
  readEncrypted(row, { schema: ExportedToken, place: 'tokens', cipher }, (token, open) => {
    const { id, user_id, secrets: _, ...columns } = token
    const [key, keySha256] = [open('key'), open('key_sha256')]
    if (key === '' && keySha256 === '') return { skip: 'the export does not contain its key' }
    return {
      record: {
        ...columns,
        originalId: id,
        owner: user_id,
        key: key === '' ? { sha256: keySha256 } : { text: key },
      },
      notes: [],
    }
  })

const readChannel = (row: SourceRow, cipher: PassphraseCipher | undefined): Reading<ImportedChannel> =>
  readEncrypted(row, { schema: ExportedChannel, place: 'channels', cipher }, (channel, open) => {
    const { id, secrets: _, ...columns } = channel
    if (cipher) return { record: { ...columns, originalId: id, key: open('key') }, notes: [] }
    const isEnabled = columns.status === CHANNEL_STATUS.enabled
    return {
      record: {
        ...columns,
        originalId: id,
        key: '',
        status: isEnabled ? CHANNEL_STATUS.disabled : columns.status,
      },
      notes: ['came without its key and disabled'],
    }
  })
