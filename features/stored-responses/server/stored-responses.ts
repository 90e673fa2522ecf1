import { nowSeconds } from '#server/core/clock.ts'
import { GatewayError } from '#server/core/errors.ts'
import { jsonTextResponse } from '#server/core/json/json.ts'
import { ownMessage } from '#server/core/language.ts'
import { isOwnResponseId } from '#server/dialects/responses/stored-ids.ts'
import { readResponseText } from '#server/http-client/read-response.ts'
import { connectionOwner, type Send } from '#server/http-client/send.ts'
import { toHandle } from '#server/provider-kit/account-handle.ts'
import type { ChannelView, NativeAdapter } from '#server/provider-kit/contract/operation-adapter.ts'
import { type Failure, readAdapterFailure } from '#server/provider-kit/failures.ts'
import { isObject, type JsonObject, parseJson } from '#server/provider-kit/json.ts'
import { redactKey } from '#server/provider-kit/redact-key.ts'
import { limitRate, type RateLimitDeps } from '#server/relay/admission/admit.ts'
import type { ClientConnection } from '#server/relay/request/client-connection.ts'
import type { AccountHandles } from '#server/relay/routing/account-handles.ts'
import { AttemptsFailed } from '#server/relay/routing/attempts.ts'
import type { RoutedChannel } from '#server/relay/routing/channel-directory.ts'
import type { RoutingDeps } from '#server/relay/routing/choose-route.ts'
import type { Caller } from '#server/relay/types.ts'
import type { BackgroundResponses } from './background/background-responses.ts'
import { itemsFrom, readPageQuery, toPage } from './item-page.ts'
import type { ResponseStore } from './response-store.ts'
import { createReserve, stateOwnerOf } from './state-owner.ts'

export interface StoredResponseDeps extends RateLimitDeps, Pick<RoutingDeps, 'channels'> {
  readonly responseStore: ResponseStore
  readonly backgroundResponses: BackgroundResponses
  readonly accountHandles: AccountHandles
  readonly send: Send
}

interface StoredResponseQuery {
  readonly caller: Caller
  /** The id in the path. */
  readonly id: string
  readonly httpRequest: Request
  readonly connection: Pick<ClientConnection, 'url' | 'takeMemory'>
}

/** A response from our store, or from the account that stores it. Throws GatewayError `not_found` for any other. */
export async function getResponse(query: StoredResponseQuery, deps: StoredResponseDeps): Promise<Response> {
  const { id, caller } = query
  const { searchParams, search } = query.connection.url
  if (!isOwnResponseId(id)) return callAccount(query, 'GET', search, deps)
  const running = await deps.backgroundResponses.find(id, stateOwnerOf(caller))
  if (searchParams.get('stream') === 'true') return resume(query, running, deps)
  const response = running ?? (await deps.responseStore.find(id, stateOwnerOf(caller)))?.response
  if (!response) throw responseNotFound(id)
  return jsonTextResponse(JSON.stringify(response))
}

/** The events after `starting_after`. Only a response in the background has any. */
function resume(
  { id, caller, connection, httpRequest: { signal } }: StoredResponseQuery,
  running: JsonObject | undefined,
  { backgroundResponses }: StoredResponseDeps,
): Response {
  if (!running) throw responseNotFound(id)
  const after = Number(connection.url.searchParams.get('starting_after') ?? -1)
  if (Number.isSafeInteger(after))
    return backgroundResponses.stream({ id, owner: stateOwnerOf(caller), after, signal })
  throw new GatewayError('invalid_request', {
    zh: 'starting_after 应为事件的序号',
    en: 'starting_after must be the number of an event',
  })
}

export async function deleteResponse(
  query: StoredResponseQuery,
  deps: StoredResponseDeps,
): Promise<Response> {
  const { id, caller } = query
  if (!isOwnResponseId(id)) return callAccount(query, 'DELETE', '', deps)
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
  if (!isOwnResponseId(id)) return callAccount(query, 'GET', `/input_items${url.search}`, deps)
  const page = readPageQuery(url.searchParams)
  const reserve = createReserve(query)
  const items = await deps.responseStore.listInput(id, { owner: stateOwnerOf(caller), reserve })
  if (!items) throw responseNotFound(id)
  return jsonTextResponse(JSON.stringify(toPage(itemsFrom(items, page), page.limit)))
}

/** Only a response in the background can be cancelled. One that has ended stays as it is. */
export async function cancelResponse(
  query: StoredResponseQuery,
  deps: StoredResponseDeps,
): Promise<Response> {
  const { id, caller } = query
  if (!isOwnResponseId(id)) return callAccount(query, 'POST', '/cancel', deps)
  const cancelled = await deps.backgroundResponses.cancel(id, stateOwnerOf(caller))
  if (cancelled) return Response.json(cancelled)
  if (!(await deps.responseStore.find(id, stateOwnerOf(caller)))) throw responseNotFound(id)
  throw new GatewayError('invalid_request', {
    zh: `响应 ${id} 不是后台响应，无法取消`,
    en: `the response ${id} was not made in the background, so it cannot be cancelled`,
  })
}

interface ResponseAccount {
  readonly channel: RoutedChannel
  readonly view: ChannelView
  readonly adapter: NativeAdapter
}

const TIMEOUT_MS = 60_000

/** Asks the account that stores the response. Throws AttemptsFailed with the provider's error. */
async function callAccount(
  query: StoredResponseQuery,
  method: 'GET' | 'POST' | 'DELETE',
  rest: string,
  deps: StoredResponseDeps,
): Promise<Response> {
  const { id, caller, httpRequest } = query
  const account = await findAccount(id, caller, deps)
  await limitRate(caller, { includesUser: false }, deps)
  const { view, adapter } = account
  const { url, headers } = adapter.request({
    channel: view,
    model: '',
    body: {},
    isStream: false,
    requestId: '',
    nowSeconds: nowSeconds(),
  })
  const sent = await deps.send(
    { url: below(url, `/${encodeURIComponent(id)}${rest}`), method, headers },
    {
      signal: httpRequest.signal,
      headersTimeoutMs: TIMEOUT_MS,
      proxy: view.setting.proxy,
      owner: connectionOwner(view),
    },
  )
  if (sent.kind === 'failure') throw toError(sent.failure, view)
  const { ok, status, headers: received } = sent.response
  const text = await readResponseText(sent, TIMEOUT_MS)
  if (!ok) throw toError(readAdapterFailure(adapter, status, text, received), view)
  const json = parseJson(text)
  if (!isObject(json)) throw toError(NOT_JSON, view)
  return jsonTextResponse(text)
}

/** Throws GatewayError `not_found` when the user has no such response, or its account is gone. */
async function findAccount(
  id: string,
  { userId }: Caller,
  { accountHandles, channels }: StoredResponseDeps,
): Promise<ResponseAccount> {
  const references = { stored: [toHandle(id)], droppable: [] }
  const bound = await accountHandles.find(references, userId).catch((cause: unknown) => {
    throw responseNotFound(id, cause)
  })
  if (!bound) throw responseNotFound(id)
  const channel = channels.current().byId(bound.channelId)
  const view = channel?.views.find(one => accountHandles.isKeyOf(bound, one))
  const adapter = channel?.provider.native?.responses
  if (!channel || !view || !adapter) throw responseNotFound(id)
  return { channel, view, adapter }
}

/** A URL below another one, which may have a query. */
function below(parent: string, rest: string): string {
  const url = new URL(parent)
  const [path, query] = rest.split('?')
  url.pathname += path
  for (const [name, value] of new URLSearchParams(query)) url.searchParams.append(name, value)
  return url.href
}

const toError = (failure: Failure, { key }: ChannelView): AttemptsFailed =>
  new AttemptsFailed(redactKey(failure, key), { candidates: [], attempts: [] })

const NOT_JSON: Failure = {
  status: 502,
  code: 'upstream_bad_answer',
  ...ownMessage({ zh: '上游响应不是有效的 JSON', en: 'the upstream response is not valid JSON' }),
}

const responseNotFound = (id: string, cause?: unknown): GatewayError =>
  new GatewayError(
    'not_found',
    {
      zh: `没有 ID 为 ${JSON.stringify(id)} 的响应`,
      en: `there is no response with the ID ${JSON.stringify(id)}`,
    },
    { cause },
  )
