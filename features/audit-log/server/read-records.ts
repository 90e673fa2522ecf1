import type { AuditedRecord } from '#contract/audited-records.ts'
import type { ChangedRows } from '#contract/endpoint.ts'
import type { AuditedCall } from '#server/api/events.ts'
import { ownEntry } from '#server/core/json/json.ts'
import { mapValues, plainText } from './mask-input.ts'
import { type ShownFields, selectRecords } from './queries.ts'

const FINGERPRINT_CHARS = 8
const AUDIT_SECRET_PURPOSE = 'audit-secret'

/** Records by the text of their key. */
export type Records = Readonly<Record<string, ShownFields>>

type RecordDeps = Pick<AuditedCall, 'db' | 'secrets' | 'options'>

/** The records as the log shows them: secrets as fingerprints, texts of JSON objects as objects. */
export async function readRecords(
  record: AuditedRecord,
  rows: ChangedRows,
  { db, ...deps }: RecordDeps,
): Promise<Records> {
  const cells = await selectRecords(db, record, rows)
  if (record.kind === 'option') return readOptions(cells, rows, deps)
  return Object.fromEntries(
    cells.map(({ [record.key]: key, ...columns }) => [String(key), showColumns(record, columns, deps)]),
  )
}

function showColumns(
  record: AuditedRecord,
  columns: ShownFields,
  deps: Pick<RecordDeps, 'secrets'>,
): ShownFields {
  return Object.fromEntries(
    Object.entries(columns).map(([name, value]) => [
      name,
      record.secrets.includes(name) ? fingerprint(String(value ?? ''), deps) : showValue(value),
    ]),
  )
}

/** The value of an option that is not stored is its default. */
function readOptions(
  cells: readonly ShownFields[],
  { key: keys = [] }: ChangedRows,
  deps: Omit<RecordDeps, 'db'>,
): Records {
  const stored = new Map(cells.map(({ key, value }) => [String(key), String(value)]))
  return Object.fromEntries(
    keys.flatMap(key => {
      const option = ownEntry(deps.options, String(key))
      if (!option) return []
      const text = stored.get(String(key))
      if (!option.isSecret) return [[String(key), { value: showValue(text ?? option.initial) }]]
      const plain = text === undefined ? option.initial : deps.secrets.decrypt(text)
      return [[String(key), { value: fingerprint(plain, deps) }]]
    }),
  )
}

/** Tells that a secret changed, and whether it is a former one again, and nothing else of it. */
const fingerprint = (secret: string, { secrets }: Pick<RecordDeps, 'secrets'>): string =>
  secret === '' ? '' : `secret ${secrets.hash(AUDIT_SECRET_PURPOSE, secret).slice(0, FINGERPRINT_CHARS)}`

function showValue(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith('{') ? showJson(value) : plainText(value)
  if (Array.isArray(value)) return value.map(showValue)
  return typeof value === 'object' && value !== null ? mapValues(value, showValue) : value
}

function showJson(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text)
    return showValue(parsed)
  } catch {
    // Not JSON after all.
    return plainText(text)
  }
}
