import { GatewayError } from '#server/core/errors.ts'
import { jsonTextResponse } from '#server/core/json/json.ts'
import { isOwnResponseId } from '#server/dialects/responses/stored-ids.ts'
import type { JsonObject } from '#server/provider-kit/json.ts'
import type { BackgroundResponses, EventReader } from './background/background-responses.ts'
import { type AccountCallDeps, callAccount } from './call-account.ts'
import { responsesFormat } from './formats/responses-format.ts'
import type { StoredFormat } from './formats/stored-format.ts'
import { readPageQuery, toPage } from './item-page.ts'
import type { ResponseStore } from './response-store.ts'
import { createReserve, stateOwnerOf } from './state-owner.ts'

export interface StoredResponseDeps extends AccountCallDeps {
  readonly responseStore: ResponseStore
  readonly backgroundResponses: BackgroundResponses
}

export interface StoredResponseQuery extends EventReader {
  /** The id in the path. */
  readonly id: string
}

/** A response from our store, or from the account that stores it. Throws GatewayError `not_found` for any other. */
export async function getResponse(query: StoredResponseQuery, deps: StoredResponseDeps): Promise<Response> {
  const { id, caller } = query
  const { searchParams, search } = query.connection.url
  if (!isOwnResponseId(id)) return askAccount(query, 'GET', search, deps)
  const running = await deps.backgroundResponses.find(id, stateOwnerOf(caller), createReserve(query))
  if (searchParams.get('stream') === 'true') return resume(query, running, deps)
  const response = running ?? (await deps.responseStore.find(id, stateOwnerOf(caller), createReserve(query)))
  if (!response) throw responseNotFound(id)
  return jsonTextResponse(JSON.stringify(response))
}

/** The events after `starting_after`. Only a response in the background has any. */
function resume(
  query: StoredResponseQuery,
  running: JsonObject | undefined,
  { backgroundResponses }: StoredResponseDeps,
): Response {
  if (!running) throw responseNotFound(query.id)
  const after = readAfter(query.connection.url, responsesFormat)
  return backgroundResponses.stream(query.id, after, query)
}

/** The number of the last event that a client has. Throws GatewayError `invalid_request`. */
export function readAfter({ searchParams }: URL, { events: { afterParam } }: StoredFormat): number {
  const after = Number(searchParams.get(afterParam) ?? -1)
  if (Number.isSafeInteger(after)) return after
  throw new GatewayError('invalid_request', {
    zh: `${afterParam} 应为事件的序号`,
    en: `${afterParam} must be the number of an event`,
  })
}

export async function deleteResponse(
  query: StoredResponseQuery,
  deps: StoredResponseDeps,
): Promise<Response> {
  const { id, caller } = query
  if (!isOwnResponseId(id)) return askAccount(query, 'DELETE', '', deps)
  const owner = stateOwnerOf(caller)
  const deleted = [
    await deps.backgroundResponses.delete(id, owner),
    await deps.responseStore.delete(id, owner),
  ]
  if (!deleted.includes(true)) throw responseNotFound(id)
  return Response.json({ id, object: 'response', deleted: true })
}

export async function listInputItems(
  query: StoredResponseQuery,
  deps: StoredResponseDeps,
): Promise<Response> {
  const {
    id,
    caller,
    connection: { url },
  } = query
  if (!isOwnResponseId(id)) return askAccount(query, 'GET', `/input_items${url.search}`, deps)
  const page = readPageQuery(url.searchParams)
  const from = { owner: stateOwnerOf(caller), reserve: createReserve(query) }
  const items = await deps.responseStore.pageInput(id, page, from)
  if (!items) throw responseNotFound(id)
  return jsonTextResponse(JSON.stringify(toPage(items, page.limit)))
}

/** Only a response in the background can be cancelled. One that has ended stays as it is. */
export async function cancelResponse(
  query: StoredResponseQuery,
  deps: StoredResponseDeps,
): Promise<Response> {
  const { id, caller } = query
  if (!isOwnResponseId(id)) return askAccount(query, 'POST', '/cancel', deps)
  const cancelled = await deps.backgroundResponses.cancel(id, stateOwnerOf(caller), createReserve(query))
  if (cancelled) return Response.json(cancelled)
  if (!(await deps.responseStore.find(id, stateOwnerOf(caller), createReserve(query))))
    throw responseNotFound(id)
  throw new GatewayError('invalid_request', {
    zh: `响应 ${id} 不是后台响应，无法取消`,
    en: `the response ${id} was not made in the background, so it cannot be cancelled`,
  })
}

/** Asks the account that stores the response. */
const askAccount = async (
  { id, caller, httpRequest: { signal } }: StoredResponseQuery,
  method: 'GET' | 'POST' | 'DELETE',
  rest: string,
  deps: StoredResponseDeps,
): Promise<Response> =>
  jsonTextResponse(
    await callAccount(
      {
        ...{ dialect: 'responses', id, caller, method, rest, signal },
        notFound: cause => responseNotFound(id, cause),
      },
      deps,
    ),
  )

const responseNotFound = (id: string, cause?: unknown): GatewayError =>
  new GatewayError(
    'not_found',
    {
      zh: `没有 ID 为 ${JSON.stringify(id)} 的响应`,
      en: `there is no response with the ID ${JSON.stringify(id)}`,
    },
    { cause },
  )
