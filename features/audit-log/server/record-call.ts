import type { ChangedRows } from '#contract/endpoint.ts'
import type { AuditedCall, AuditedOutcome, CallRecorder } from '#server/api/events.ts'
import { nowSeconds } from '#server/core/clock.ts'
import type { AuditDetails } from '../contract.ts'
import { appendRow } from './chain.ts'
import { differenceOf } from './differences.ts'
import { maskInput } from './mask-input.ts'
import type { ShownFields } from './queries.ts'
import { type Records, readRecords } from './read-records.ts'

const isFields = (value: unknown): value is ShownFields => typeof value === 'object' && value !== null
const fieldOf = (value: unknown, name: string): unknown => (isFields(value) ? value[name] : undefined)

/** Reads what a call is about to change. At its end, adds a row with what differs. */
export async function recordCall(call: AuditedCall): Promise<CallRecorder> {
  const named = namedRows(call)
  let before = await readChanged(call, named)
  const startedAt = nowSeconds()
  let announced = 0
  return {
    async willChange(ids) {
      announced += ids.length
      before = { ...(await readChanged(call, { id: ids })), ...before }
    },
    async ended(outcome) {
      const created = idsOf(outcome.data)
      const known = keysOf(before, call)
      const rows = {
        ...named,
        ...known,
        ...(created.length > 0 && { id: [...(known.id ?? []), ...created] }),
      }
      const after = onlyCreated(await readChanged(call, rows), { call, before, startedAt })
      await addRow(call, outcome, { before, after, announced })
    },
  }
}

/** A response also returns records that were there before, such as the account that signs in. */
function onlyCreated(
  found: Records,
  { call, before, startedAt }: { call: AuditedCall; before: Records; startedAt: number },
): Records {
  const createdAt = call.endpoint.changes?.createdAt
  if (createdAt === undefined) return found
  const isKnown = (key: string, cells: ShownFields) =>
    Object.hasOwn(before, key) || Number(cells[createdAt]) >= startedAt
  return Object.fromEntries(Object.entries(found).filter(([key, cells]) => isKnown(key, cells)))
}

const readChanged = async (call: AuditedCall, rows: ChangedRows): Promise<Records> =>
  call.endpoint.changes ? readRecords(call.endpoint.changes, rows, call) : {}

/** The records that the input names. */
function namedRows({ endpoint, input, caller }: AuditedCall): ChangedRows {
  if (endpoint.changedRows) return endpoint.changedRows({ ...input, callerId: caller.id })
  const ids = fieldOf(input.body, 'ids')
  const named = [fieldOf(input.params, 'id'), fieldOf(input.body, 'id'), ...(Array.isArray(ids) ? ids : [])]
  return { id: named.filter(id => typeof id === 'number') }
}

/** A record keeps its key, whatever the call changed that it was found by. */
function keysOf(records: Records, { endpoint }: AuditedCall): ChangedRows {
  const key = endpoint.changes?.key ?? 'id'
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
  call: AuditedCall,
  { code, data }: AuditedOutcome,
  change: RecordsChange,
): Promise<void> {
  const { endpoint, caller, credential, address, requestId, secrets, db } = call
  const details = detailsOf(call, change)
  const targets = [...new Set([...Object.keys(details.before), ...Object.keys(details.after)])]
  const hasEffect = targets.length > 0 || (code === '' && caller.id !== 0)
  if (endpoint.audit !== 'attempts' && !hasEffect) return
  const actor = caller.id === 0 ? signedIn(data) : caller
  const row = {
    created_at: nowSeconds(),
    actor_id: actor.id,
    actor_name: actor.username,
    credential,
    address,
    request_id: requestId,
    action: `${endpoint.method} ${endpoint.path}`,
    kind: endpoint.changes?.kind ?? '',
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
  { endpoint, input }: AuditedCall,
  { before, after, announced }: RecordsChange,
): AuditDetails {
  const { params, query, body, changes } = endpoint
  const hidden = changes?.counters.filter(name => fieldOf(input.body, name) === undefined) ?? []
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const found = keys.flatMap(key => {
    const difference = differenceOf(without(before[key], hidden), without(after[key], hidden))
    return difference ? [[key, difference] as const] : []
  })
  return {
    input: {
      ...fieldsOf(maskInput(params, input.params)),
      ...fieldsOf(maskInput(query, input.query)),
      ...fieldsOf(maskInput(body, input.body)),
    },
    before: Object.fromEntries(found.map(([key, difference]) => [key, difference.before ?? null])),
    after: Object.fromEntries(found.map(([key, difference]) => [key, difference.after ?? null])),
    ...(announced > 0 && { count: announced }),
  }
}

const fieldsOf = (value: unknown): ShownFields =>
  Array.isArray(value) ? { items: value } : isFields(value) ? value : {}

const without = (cells: ShownFields | undefined, hidden: readonly string[]): ShownFields | undefined =>
  cells && Object.fromEntries(Object.entries(cells).filter(([name]) => !hidden.includes(name)))
