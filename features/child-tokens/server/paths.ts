import { RECORDS } from '#contract/audited-records.ts'
import { fromCells } from '#contract/entities/stored.ts'
import { TokenFields } from '#contract/entities/token-fields.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { GatewayError } from '#server/core/errors.ts'
import { inTransaction } from '#server/db/engine/database.ts'
import type { Services } from '#server/feature.ts'
import { findFirstProblem } from '#server/provider-kit/first-problem.ts'
import { readJson } from '#server/relay/request/read-json.ts'
import { deleteAt, get, type LookupQuery, post, type RelayRoute } from '#server/relay/routes/routes.ts'
import { ChildDraft } from './child-draft.ts'
import { CHILDREN_MAX, createChild, endChildren } from './lifecycle.ts'
import { type ChildRow, deleteChild, listChildren } from './queries.ts'

const PATH = '/v1/child_tokens'

type PathDeps = Pick<Services, 'db' | 'secrets' | 'relay' | 'events' | 'settings'>

/** What a token may do with the tokens that it has made. */
export const createChildPaths = (deps: PathDeps): readonly RelayRoute[] => [
  post(PATH, query => create(query, deps)),
  get(PATH, query => list(query, deps)),
  deleteAt(/^\/v1\/child_tokens\/(?<id>\d{1,15})$/, query => end(query, deps)),
]

async function create(query: LookupQuery, deps: PathDeps): Promise<Response> {
  const parent = tokenOf(query)
  const { value } = await readJson(query.connection, query.caller, deps.relay.settings, 'small')
  const draft = ChildDraft.safeParse(value)
  if (!draft.success) throw badDraft(value)
  const { requestId } = query.connection
  const { ended } = await startChange(query, deps, { name: draft.data.name })
  const { key, row } = await createChild(parent.id, draft.data, { ...deps, requestId })
  await ended({ code: '', data: { id: row.id } })
  return Response.json({ ...toView(row), key })
}

function badDraft(value: unknown): GatewayError {
  const problem = findFirstProblem(ChildDraft, value)
  const field = problem?.path.join('.') ?? ''
  return new GatewayError('invalid_request', {
    zh: `${field || '请求体'} 无效：${problem?.needed.zh ?? ''}`,
    en: `${field || 'the body'} is not valid: ${problem?.needed.en ?? ''}`,
  })
}

async function list(query: LookupQuery, { db }: PathDeps): Promise<Response> {
  const rows = await listChildren(db, tokenOf(query).id, CHILDREN_MAX)
  return Response.json({ object: 'list', data: rows.map(toView) })
}

async function end(query: LookupQuery, deps: PathDeps): Promise<Response> {
  const { db } = deps
  const id = Number(query.id)
  const children = await listChildren(db, tokenOf(query).id, CHILDREN_MAX)
  if (!children.some(child => child.id === id))
    throw new GatewayError('not_found', { zh: '没有此子令牌', en: 'the token has no such child' })
  const { ended } = await startChange(query, deps, { id })
  await inTransaction(db, tx => deleteChild(tx, id, nowSeconds()))
  await ended({ code: '' })
  // What it has not spent goes back at once, unless something of it is in progress.
  await endChildren(db)
  return Response.json({ id, object: 'child_token', deleted: true })
}

/** Leaves a row in the audit log. */
const startChange = (
  { caller, connection, httpRequest }: LookupQuery,
  { db, secrets, settings, events }: PathDeps,
  input: { readonly id?: number; readonly name?: string },
) =>
  events.changeStarted({
    db,
    secrets,
    options: settings.options,
    credential: 'token',
    actorName: caller.username,
    action: `${httpRequest.method} ${PATH}`,
    record: RECORDS.token,
    rows: { id: input.id === undefined ? [] : [input.id] },
    input: { ...input, parent: caller.token?.name },
    address: connection.clientIp(),
    requestId: connection.requestId,
  })

function tokenOf({ caller: { token } }: LookupQuery): { readonly id: number } {
  if (token) return token
  throw new GatewayError('invalid_api_key', { zh: '此调用需要令牌', en: 'this call needs a token' })
}

/** The fields of a token, with times in Unix seconds and amounts in quota units. */
const toView = (row: ChildRow) => ({
  id: row.id,
  object: 'child_token',
  ...fromCells(TokenFields, row),
  remain_quota: row.remain_quota,
  used_quota: row.used_quota,
  created_time: row.created_time,
})
