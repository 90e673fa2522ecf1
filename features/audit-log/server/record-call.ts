import type { AuditedRecord } from '#contract/audited-records.ts'
import type { ChangedRows } from '#contract/endpoint.ts'
import type { AuditedCall, AuditedOutcome, CallRecorder, ProgramChange } from '#server/api/events.ts'
import { nowSeconds } from '#server/core/clock.ts'
import type { AuditDetails } from '../contract/audit-log.ts'
import { appendRow } from './chain.ts'
import { differenceOf } from './differences.ts'
import { mapValues, maskInput, plainText } from './mask-input.ts'
import type { ShownFields } from './queries.ts'
import { type Records, readRecords } from './read-records.ts'

const isFields = (value: unknown): value is ShownFields => typeof value === 'object' && value !== null
const fieldOf = (value: unknown, name: string): unknown => (isFields(value) ? value[name] : undefined)

/** A change of any kind, with what its row says of it. */
interface AuditedChange extends Pick<AuditedCall, 'db' | 'secrets' | 'options' | 'address' | 'requestId'> {
  readonly action: string
  readonly actor: AuditedCall['caller'] & { readonly organization?: string }
  readonly credential: AuditedCall['credential'] | ProgramChange['credential']
  readonly record: AuditedRecord | undefined
  readonly named: ChangedRows
  readonly input: () => ShownFields
  /** Counters that the change does not set. */
  readonly hidden: readonly string[]
  /** Whether a change without an effect is worth a row. */
  isRecorded(code: string): boolean
  /** Whether a record that the response returns is one that the change has made. */
  isCreated(cells: ShownFields): boolean
}

/** Reads what a call is about to change. At its end, adds a row with what differs. */
export function recordCall(call: AuditedCall): Promise<CallRecorder> {
  const { endpoint, input, caller } = call
  const { params, query, body, changes } = endpoint
  const startedAt = nowSeconds()
  const createdAt = changes?.createdAt
  return recordChange({
    ...call,
    action: `${endpoint.method} ${endpoint.path}`,
    actor: personOf(caller),
    record: changes,
    named: namedRows(call),
    input: () => ({
      ...fieldsOf(maskInput(params, input.params)),
      ...fieldsOf(maskInput(query, input.query)),
      ...fieldsOf(maskInput(body, input.body)),
    }),
    hidden: changes?.counters.filter(name => fieldOf(input.body, name) === undefined) ?? [],
    isRecorded: code => endpoint.audit === 'attempts' || (code === '' && caller.id !== 0),
    isCreated: cells => createdAt === undefined || Number(cells[createdAt]) >= startedAt,
  })
}

/** Members act for their organisation. */
const personOf = (caller: AuditedCall['caller']): AuditedChange['actor'] =>
  caller.member
    ? { ...caller, id: caller.member.userId, username: caller.member.username, organization: caller.username }
    : caller

/** The same for a change that no endpoint declares: in its transaction, where it has one. */
export const recordProgramChange = ({
  input = {},
  rows = {},
  record,
  actorName,
  address = '',
  requestId = '',
  ...change
}: ProgramChange): Promise<CallRecorder> =>
  recordChange({
    ...change,
    address,
    requestId,
    record,
    actor: { id: 0, username: actorName },
    named: rows,
    input: () => mapValues(input, field => (typeof field === 'string' ? plainText(field) : field)),
    hidden: record?.counters ?? [],
    isRecorded: () => true,
    isCreated: () => true,
  })

async function recordChange(change: AuditedChange): Promise<CallRecorder> {
  const { named } = change
  let before = await readChanged(change, named)
  let announced = 0
  return {
    async willChange(ids) {
      announced += ids.length
      before = { ...(await readChanged(change, { id: ids })), ...before }
    },
    async ended(outcome) {
      const created = idsOf(outcome.data)
      const known = keysOf(before, change)
      const rows = {
        ...named,
        ...known,
        ...(created.length > 0 && { id: [...(known.id ?? []), ...created] }),
      }
      const found = Object.entries(await readChanged(change, rows))
      const after = Object.fromEntries(
        // A response also returns records that were there before, such as the account that signs in.
        found.filter(([key, cells]) => Object.hasOwn(before, key) || change.isCreated(cells)),
      )
      await addRow(change, outcome, { before, after, announced })
    },
  }
}

const readChanged = async (change: AuditedChange, rows: ChangedRows): Promise<Records> =>
  change.record ? readRecords(change.record, rows, change) : {}

/** The records that the input names. */
function namedRows({ endpoint, input, caller }: AuditedCall): ChangedRows {
  if (endpoint.changedRows) return endpoint.changedRows({ ...input, callerId: caller.id })
  const ids = fieldOf(input.body, 'ids')
  const named = [fieldOf(input.params, 'id'), fieldOf(input.body, 'id'), ...(Array.isArray(ids) ? ids : [])]
  return { id: named.filter(id => typeof id === 'number') }
}

/** A record keeps its key, whatever the call changed that it was found by. */
function keysOf(records: Records, { record }: AuditedChange): ChangedRows {
  const key = record?.key ?? 'id'
  const found = Object.keys(records)
  return found.length === 0 ? {} : { [key]: key === 'id' ? found.map(Number) : found }
}

/** Some responses say more than the account that signed in. */
const returnedRecord = (data: unknown): unknown => fieldOf(data, 'user') ?? data

/** The ids of records that a response returns: those that the call has created are among them. */
const idsOf = (data: unknown): readonly number[] =>
  (Array.isArray(data) ? data : [returnedRecord(data)])
    .map(value => fieldOf(value, 'id'))
    .filter(id => typeof id === 'number')

interface RecordsChange {
  readonly before: Records
  readonly after: Records
  readonly announced: number
}

async function addRow(
  change: AuditedChange,
  { code, data }: AuditedOutcome,
  records: RecordsChange,
): Promise<void> {
  const { db, secrets, credential, address, requestId, action, record } = change
  const details = detailsOf(change, records)
  const targets = [...new Set([...Object.keys(details.before), ...Object.keys(details.after)])]
  if (targets.length === 0 && !change.isRecorded(code)) return
  const actor = change.actor.id === 0 && change.actor.username === '' ? signedIn(data) : change.actor
  const row = {
    created_at: nowSeconds(),
    actor_id: actor.id,
    actor_name: actor.username,
    credential,
    address,
    request_id: requestId,
    action,
    kind: record?.kind ?? '',
    code,
    details: JSON.stringify(details),
  }
  await appendRow(db, row, targets, secrets)
}

/** A visitor who signs in is the account from then on. */
function signedIn(data: unknown): { readonly id: number; readonly username: string } {
  const user = returnedRecord(data)
  const [id, username] = [fieldOf(user, 'id'), fieldOf(user, 'username')]
  return typeof id === 'number' && typeof username === 'string' ? { id, username } : { id: 0, username: '' }
}

function detailsOf(
  { hidden, input, actor: { accessToken, organization } }: AuditedChange,
  { before, after, announced }: RecordsChange,
): AuditDetails {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const found = keys.flatMap(key => {
    const difference = differenceOf(without(before[key], hidden), without(after[key], hidden))
    return difference ? [[key, difference] as const] : []
  })
  return {
    input: input(),
    before: Object.fromEntries(found.map(([key, difference]) => [key, difference.before ?? null])),
    after: Object.fromEntries(found.map(([key, difference]) => [key, difference.after ?? null])),
    ...(announced > 0 && { count: announced }),
    ...(accessToken && { access_token: accessToken }),
    ...(organization && { organization }),
  }
}

const fieldsOf = (value: unknown): ShownFields =>
  Array.isArray(value) ? { items: value } : isFields(value) ? value : {}

const without = (cells: ShownFields | undefined, hidden: readonly string[]): ShownFields | undefined =>
  cells && Object.fromEntries(Object.entries(cells).filter(([name]) => !hidden.includes(name)))
