import { GatewayError } from '#server/core/errors.ts'
import { jsonTextResponse } from '#server/core/json/json.ts'
import { toInputItems } from '#server/dialects/responses/stored-items.ts'
import { isObject, type JsonObject } from '#server/provider-kit/json.ts'
import type { ClientConnection } from '#server/relay/request/client-connection.ts'
import { readJson } from '#server/relay/request/read-json.ts'
import type { Caller, SettingsReader } from '#server/relay/types.ts'
import { readPageQuery, toPage } from './item-page.ts'
import type { ResponseStore } from './response-store.ts'
import { createReserve, stateOwnerOf } from './state-owner.ts'

export interface ConversationDeps {
  readonly responseStore: ResponseStore
  readonly settings: SettingsReader<'RequestTextLimit'>
}

interface ConversationQuery {
  readonly caller: Caller
  /** The id of the conversation in the path. */
  readonly id: string
  readonly itemId: string
  readonly connection: ClientConnection
}

/** As in OpenAI's API. */
const METADATA_KEYS_MAX = 16
const METADATA_KEY_CHARS_MAX = 64
const METADATA_VALUE_CHARS_MAX = 512
const ITEMS_AT_ONCE_MAX = 20

export async function createConversation(
  query: ConversationQuery,
  deps: ConversationDeps,
): Promise<Response> {
  const { caller, connection } = query
  const json = await readBody(query, deps)
  const created = {
    owner: stateOwnerOf(caller),
    requestId: connection.requestId,
    metadata: readMetadata(json.metadata),
    items: readItems(json.items ?? []),
  }
  return Response.json(await deps.responseStore.conversations.create(created))
}

export async function getConversation(
  query: ConversationQuery,
  { responseStore }: ConversationDeps,
): Promise<Response> {
  return Response.json(await responseStore.conversations.get(keyOf(query)))
}

export async function updateConversation(
  query: ConversationQuery,
  deps: ConversationDeps,
): Promise<Response> {
  const { metadata } = await readBody(query, deps)
  return Response.json(
    await deps.responseStore.conversations.setMetadata(keyOf(query), readMetadata(metadata)),
  )
}

export async function deleteConversation(
  query: ConversationQuery,
  { responseStore }: ConversationDeps,
): Promise<Response> {
  await responseStore.conversations.delete(keyOf(query))
  return Response.json({ id: query.id, object: 'conversation.deleted', deleted: true })
}

export async function createConversationItems(
  query: ConversationQuery,
  deps: ConversationDeps,
): Promise<Response> {
  const items = readItems((await readBody(query, deps)).items)
  const { requestId } = query.connection
  const data = await deps.responseStore.conversations.add({ ...keyOf(query), items, requestId })
  return Response.json({
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: false,
  })
}

export async function listConversationItems(
  query: ConversationQuery,
  { responseStore }: ConversationDeps,
): Promise<Response> {
  const page = readPageQuery(query.connection.url.searchParams)
  const items = await responseStore.conversations.page(keyOf(query), page, createReserve(query))
  return jsonTextResponse(JSON.stringify(toPage(items, page.limit)))
}

export async function getConversationItem(
  query: ConversationQuery,
  { responseStore }: ConversationDeps,
): Promise<Response> {
  const item = await responseStore.conversations.getItem(keyOf(query), query.itemId)
  return jsonTextResponse(JSON.stringify(item))
}

/** Responds with the conversation. */
export async function deleteConversationItem(
  query: ConversationQuery,
  { responseStore }: ConversationDeps,
): Promise<Response> {
  return Response.json(await responseStore.conversations.deleteItem(keyOf(query), query.itemId))
}

const keyOf = ({ id, caller }: ConversationQuery) => ({ id, owner: stateOwnerOf(caller) })

/** A missing body is an empty object. */
async function readBody(
  { connection, caller }: ConversationQuery,
  { settings }: ConversationDeps,
): Promise<JsonObject> {
  const { value } = await readJson(connection, caller, settings)
  if (isObject(value)) return value
  throw new GatewayError('invalid_request', {
    zh: '请求体应为 JSON 对象',
    en: 'the body must be a JSON object',
  })
}

function readItems(value: unknown): readonly JsonObject[] {
  const items = Array.isArray(value) ? toInputItems(value) : undefined
  if (items && items.length <= ITEMS_AT_ONCE_MAX) return items
  throw new GatewayError('invalid_request', {
    zh: `items 应为至多 ${ITEMS_AT_ONCE_MAX} 个条目的数组`,
    en: `items must be a list of at most ${ITEMS_AT_ONCE_MAX} items`,
  })
}

function readMetadata(value: unknown): JsonObject {
  if (value === undefined || value === null) return {}
  const isValid =
    isObject(value) &&
    Object.keys(value).length <= METADATA_KEYS_MAX &&
    Object.entries(value).every(
      ([key, text]) =>
        key.length <= METADATA_KEY_CHARS_MAX &&
        typeof text === 'string' &&
        text.length <= METADATA_VALUE_CHARS_MAX,
    )
  if (isValid) return value
  throw new GatewayError('invalid_request', {
    zh: `metadata 应为至多 ${METADATA_KEYS_MAX} 个文本的对象，键至多 ${METADATA_KEY_CHARS_MAX} 个字符，值至多 ${METADATA_VALUE_CHARS_MAX} 个字符`,
    en: `metadata must be an object of at most ${METADATA_KEYS_MAX} texts, with keys of ${METADATA_KEY_CHARS_MAX} and values of ${METADATA_VALUE_CHARS_MAX} characters at most`,
  })
}
