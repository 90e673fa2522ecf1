import { nextTurn } from '#server/core/async.ts'
import { nowSeconds } from '#server/core/clock.ts'
import { errorMessage, GatewayError } from '#server/core/errors.ts'
import { MIB } from '#server/core/limits.ts'
import { deleteExpired } from '#server/db/engine/delete-expired.ts'
import { findResponseIdOfItem } from '#server/dialects/responses/stored-ids.ts'
import { withReferencedItems } from '#server/dialects/responses/stored-items.ts'
import { asArray, asObject, asString, isObject, type JsonObject } from '#server/provider-kit/json.ts'
import type { Recording } from '#server/relay/hooks.ts'
import { parseStored } from '#server/relay/request/read-json.ts'
import type { RelayRequest } from '#server/relay/types.ts'
import { encryptSummary, openCompactions } from './compactions.ts'
import { BYTES_PER_TURN, ConversationStore, type ResponseStoreDeps } from './conversation-store.ts'
import { findStoredFormat } from './formats/formats.ts'
import { responsesFormat } from './formats/responses-format.ts'
import type { StoredFormat } from './formats/stored-format.ts'
import { type ItemPageQuery, unknownAfter } from './item-page.ts'
import {
  type ChainLink,
  deleteStoredResponse,
  type StoredResponseRow,
  selectChain,
  selectResponseText,
  selectStoredResponse,
  selectStoredResponses,
  touchStoredResponses,
} from './queries/stored-responses.ts'
import { combineRecordings, ResponseRecording } from './response-recording.ts'
import { type Reserve, type StateOwner, stateOwnerOf, toOwnerColumns } from './state-owner.ts'
import { StoredSpace } from './stored-space.ts'

const DAY_SECONDS = 86_400
const CLEANUP_SECONDS = 3_600
/** Longer chains, and chains with more text, must be sent again as a whole. */
const CHAIN_LINKS_MAX = 2_000
const CHAIN_BYTES_MAX = 32 * MIB
/** One response with its input. */
const RESPONSE_BYTES_MAX = 16 * MIB

/** A request as its client sent it. */
interface ArrivedRequest {
  readonly format: StoredFormat
  readonly json: unknown
  /** The length of its body. */
  readonly chars: number
  readonly owner: StateOwner
  readonly isBackground: boolean
  /** For what the request refers to. */
  readonly reserve: Reserve
}

/** The part of a request that is stored with its response, unless the provider stores it. */
export interface StoredInput {
  readonly isStored: boolean
  /** The response runs in the background, where it is stored whatever its provider stores. */
  readonly isBackground: boolean
  /** The response in our store that the request continues. */
  readonly previousId: string | undefined
  /** The conversation to which input and output are added. */
  readonly conversationId: string | undefined
  /** That response and those that it continues. */
  readonly chainIds: readonly string[]
  /** The items that the request adds to them. */
  readonly items: readonly JsonObject[]
}

/** The request with all that it refers to in our store. */
export interface ResolvedRequest {
  readonly json: unknown
  readonly storedInput: StoredInput | undefined
}

/** A request that continues a response or a conversation. */
interface ContinuedRequest {
  readonly json: JsonObject
  readonly conversationId: string | undefined
}

interface ResponseWithInput {
  readonly response: JsonObject
  /** The items that the request added to those of the response that it continues. */
  readonly input: readonly JsonObject[]
}

/**
 * Responses whose providers store nothing, for requests that refer to them. Encrypted, limited in time and in size per
 * user: the responses that were not used for the longest time go first.
 */
export class ResponseStore {
  readonly conversations: ConversationStore
  private readonly deps: ResponseStoreDeps
  private readonly space: StoredSpace
  private cleanupAt = 0

  constructor(deps: ResponseStoreDeps) {
    this.deps = deps
    this.space = new StoredSpace(deps.db, () => deps.limits().bytesMax)
    this.conversations = new ConversationStore(deps, this.space)
  }

  /**
   * Puts the items of earlier responses in place of references to them. Throws GatewayError
   * `previous_response_not_found` for what the user has not stored, and `response_too_large` for a request that must be
   * stored and is too large.
   */
  async resolve(arrived: ArrivedRequest): Promise<ResolvedRequest> {
    const { format } = arrived
    const { userId } = arrived.owner
    const sent = isObject(arrived.json) ? format.toInputItems(arrived.json.input) : undefined
    if (!isObject(arrived.json) || !sent) return { json: arrived.json, storedInput: undefined }
    const input = openCompactions(sent, userId, this.deps.secrets)
    const json = input === sent ? arrived.json : { ...arrived.json, input }
    const isStored = this.mayStore(json, arrived.chars)
    const { isBackground } = arrived
    if (json.background === true && !isStored) throw backgroundNotStored()
    const { previousId, itemIds, conversationId } = format.readReferences(json)
    if (previousId === undefined && conversationId === undefined && itemIds.length === 0)
      return {
        json,
        storedInput: { isStored, isBackground, previousId, conversationId, chainIds: [], items: input },
      }
    const chain = await this.readChain(previousId, arrived)
    const items = withReferencedItems(input, await this.readItems(itemIds, arrived))
    const previous = await this.readPrevious(chain, { json, conversationId }, arrived)
    const { [format.previousField]: kept, conversation: _, ...rest } = json
    return {
      json: {
        ...rest,
        ...(previousId === undefined && kept !== undefined && { [format.previousField]: kept }),
        input: openCompactions([...format.toInputAgain(previous), ...items], userId, this.deps.secrets),
      },
      storedInput: {
        isStored,
        isBackground,
        previousId,
        conversationId,
        chainIds: chain.map(({ id }) => id),
        items,
      },
    }
  }

  /** The items before the input. Throws GatewayError for a request that continues both a response and a conversation. */
  private async readPrevious(
    chain: readonly ResponseWithInput[],
    { json, conversationId }: ContinuedRequest,
    { format, chars, owner, reserve }: ArrivedRequest,
  ): Promise<readonly JsonObject[]> {
    if (conversationId === undefined)
      return chain.flatMap(({ input, response }) => [...input, ...format.readOutput(response)])
    if (json.previous_response_id !== undefined && json.previous_response_id !== null)
      throw new GatewayError('invalid_request', {
        zh: 'previous_response_id 与 conversation 不能同时使用',
        en: 'previous_response_id and conversation cannot be used together',
      })
    const key = { id: conversationId, owner }
    await this.conversations.requireRoom(key, chars)
    return this.conversations.list(key, reserve)
  }

  /** Begins to store the response to a request. Undefined when it is not to be stored here. */
  record(
    request: RelayRequest,
    storedInput: StoredInput,
    isStoredByProvider: boolean,
  ): Recording | undefined {
    const { requestId, caller } = request
    const { conversationId: id, items } = storedInput
    const recordings = [
      ...(storedInput.isStored && (storedInput.isBackground || !isStoredByProvider)
        ? [this.recordResponse(request, storedInput)]
        : []),
      ...(id === undefined
        ? []
        : [this.conversations.record({ id, owner: stateOwnerOf(caller), items, requestId })]),
    ]
    return recordings.length === 0 ? undefined : combineRecordings(recordings)
  }

  private recordResponse({ requestId, caller, client }: RelayRequest, stored: StoredInput): Recording {
    const { events, ...format } = findStoredFormat(client.name) ?? responsesFormat
    const owner = stateOwnerOf(caller)
    const { previousId = null, chainIds, items } = stored
    const input = this.deps.secrets.encrypt(JSON.stringify(format.toListedItems(items, requestId)))
    const row: StoredResponseRow = {
      id: format.toId(requestId),
      ...toOwnerColumns(owner),
      previous_id: previousId,
      input_encrypted: input,
      response_encrypted: null,
      bytes: input.length,
      used_at: nowSeconds(),
      expires_at: this.expiresAt(),
    }
    return new ResponseRecording(row, owner, {
      ...this.deps,
      collector: events.isCollected ? events.createCollector() : undefined,
      onStored: this.createLimit(owner.userId, chainIds),
    })
  }

  /** Encrypts what only this user may have read again. */
  encryptFor(userId: number, text: string): string {
    return encryptSummary(text, userId, this.deps.secrets)
  }

  /** Undefined when the owner has no such response. */
  async find(id: string, owner: StateOwner, reserve: Reserve): Promise<JsonObject | undefined> {
    const row = await selectResponseText(this.deps.db, { id, owner, nowSeconds: nowSeconds() })
    reserve(row?.response_encrypted?.length ?? 0)
    return row && asObject(await this.decrypt(row.response_encrypted ?? '', row.user_id))
  }

  /** The items that a request added. Undefined when the owner has no such response. */
  async findInput(
    id: string,
    { owner, reserve }: Pick<ArrivedRequest, 'owner' | 'reserve'>,
  ): Promise<readonly JsonObject[] | undefined> {
    const row = await selectStoredResponse(this.deps.db, { id, owner, nowSeconds: nowSeconds() })
    reserve(Number(row?.bytes ?? 0))
    return row && (await this.open(row)).input
  }

  /**
   * A page of the items that a response was made from, and at least one more where there is any. Only responses with items of
   * the page are read. Undefined when the owner has no such response.
   */
  async pageInput(
    id: string,
    { limit, isAscending, after }: ItemPageQuery,
    { owner, reserve }: Pick<ArrivedRequest, 'owner' | 'reserve'>,
  ): Promise<readonly JsonObject[] | undefined> {
    const links = await this.selectLinks(id, owner)
    if (links.length === 0) return undefined
    const ordered = isAscending ? links.toReversed() : links
    const items: JsonObject[] = []
    let isOnPage = after === null
    for (const link of linksFrom(ordered, after)) {
      const ofLink = await this.readItemsOfLink(link, { isLast: link.id === id, isAscending, reserve })
      const start = isOnPage ? 0 : ofLink.findIndex(item => item.id === after) + 1
      isOnPage ||= start > 0
      if (isOnPage) items.push(...ofLink.slice(start))
      if (items.length > limit) break
    }
    if (!isOnPage) throw unknownAfter(after ?? '')
    return items
  }

  /** The output of the last response in a chain is no input. */
  private async readItemsOfLink(
    { id, bytes }: ChainLink,
    { isLast, isAscending, reserve }: { isLast: boolean; isAscending: boolean; reserve: Reserve },
  ): Promise<readonly JsonObject[]> {
    reserve(Number(bytes))
    const [row] = await selectStoredResponses(this.deps.db, [id])
    if (!row) throw responseNotFound()
    const { input, response } = await this.open(row)
    const items = isLast ? input : [...input, ...readOutput(response)]
    return isAscending ? items : items.toReversed()
  }

  /** A response and its predecessors, the latest first. Throws GatewayError `previous_response_not_found` where some are gone. */
  private async selectLinks(id: string, owner: StateOwner): Promise<readonly ChainLink[]> {
    const links = await selectChain(this.deps.db, { id, owner, nowSeconds: nowSeconds() }, CHAIN_LINKS_MAX)
    if (links.length > 0 && links.at(-1)?.previous_id !== null) throw responseNotFound()
    return links
  }

  /** Returns whether the owner had the response. */
  delete(id: string, owner: StateOwner): Promise<boolean> {
    return deleteStoredResponse(this.deps.db, id, owner)
  }

  private expiresAt(): number {
    return nowSeconds() + this.deps.limits().days * DAY_SECONDS
  }

  /** Throws GatewayError when the client insists on storing a response that is too large. */
  private mayStore({ store }: JsonObject, chars: number): boolean {
    const { isEnabled, bytesMax } = this.deps.limits()
    if (store === false || !isEnabled) return false
    const max = Math.min(bytesMax, RESPONSE_BYTES_MAX)
    if (chars <= max) return true
    if (store !== true) return false
    throw new GatewayError('response_too_large', {
      zh: `请求有 ${chars} 个字符，超过可存储的 ${max} 字节，请设置 store 为 false`,
      en: `the request has ${chars} characters, and at most ${max} bytes can be stored; set store to false`,
    })
  }

  /** A response and its predecessors, the earliest first. */
  private async readChain(
    id: string | undefined,
    { owner, reserve }: Pick<ArrivedRequest, 'owner' | 'reserve'>,
  ): Promise<readonly (ResponseWithInput & { readonly id: string })[]> {
    if (id === undefined) return []
    const links = await this.selectLinks(id, owner)
    const bytes = links.reduce((sum, link) => sum + Number(link.bytes), 0)
    if (links.length === 0 || bytes > CHAIN_BYTES_MAX) throw responseNotFound()
    reserve(bytes)
    const rows = await selectStoredResponses(
      this.deps.db,
      links.map(link => link.id),
    )
    const rowOfId = new Map(rows.map(row => [row.id, row]))
    const chain: (ResponseWithInput & { readonly id: string })[] = []
    let bytesInTurn = 0
    for (const link of links.toReversed()) {
      const row = rowOfId.get(link.id)
      if (!row) throw responseNotFound()
      chain.push({ id: row.id, ...(await this.open(row)) })
      bytesInTurn += Number(row.bytes)
      if (bytesInTurn < BYTES_PER_TURN) continue
      bytesInTurn = 0
      await nextTurn()
    }
    return chain
  }

  private async readItems(
    ids: readonly string[],
    { owner, reserve }: Pick<ArrivedRequest, 'owner' | 'reserve'>,
  ): Promise<ReadonlyMap<string, JsonObject>> {
    const items = new Map<string, JsonObject>()
    const responseIds = new Set(ids.map(id => findResponseIdOfItem(id) ?? ''))
    if (responseIds.size > CHAIN_LINKS_MAX) throw responseNotFound()
    for (const id of responseIds) {
      const row = await selectStoredResponse(this.deps.db, { id, owner, nowSeconds: nowSeconds() })
      if (!row) throw responseNotFound()
      reserve(Number(row.bytes))
      const found = await this.open(row)
      for (const item of [...found.input, ...readOutput(found.response)])
        items.set(asString(item.id) ?? '', item)
      await nextTurn()
    }
    if (ids.some(id => !items.has(id))) throw responseNotFound()
    return items
  }

  private async open(row: StoredResponseRow): Promise<ResponseWithInput> {
    return {
      input: asArray(await this.decrypt(row.input_encrypted, row.user_id)).map(asObject),
      response: asObject(await this.decrypt(row.response_encrypted ?? '', row.user_id)),
    }
  }

  private decrypt(text: string, userId: number): Promise<unknown> {
    return parseStored(this.deps.secrets.decrypt(text), { userId })
  }

  /** A method of its own: a closure in `recordResponse` would keep the input for as long as a stream lasts. */
  private createLimit(userId: number, usedIds: readonly string[]) {
    return (bytes: number): Promise<void> => this.limit(userId, bytes, usedIds)
  }

  /** Never rejects, since the response is already stored. */
  private async limit(userId: number, bytes: number, usedIds: readonly string[]): Promise<void> {
    const { db, log } = this.deps
    try {
      if (usedIds.length > 0)
        await touchStoredResponses(db, usedIds, { used_at: nowSeconds(), expires_at: this.expiresAt() })
      await this.space.add(userId, bytes)
      await this.cleanUp()
    } catch (error) {
      log.warn('stored responses could not be limited', { reason: errorMessage(error) })
    }
  }

  private async cleanUp(): Promise<void> {
    const now = nowSeconds()
    if (now < this.cleanupAt) return
    this.cleanupAt = now + CLEANUP_SECONDS
    await deleteExpired(this.deps.db, { table: 'stored_responses', key: 'id' }, now)
  }
}

/** The links from the one with an item on; all of them where the id does not tell. */
function linksFrom(links: readonly ChainLink[], itemId: string | null): readonly ChainLink[] {
  const first = itemId === null ? undefined : findResponseIdOfItem(itemId)
  return links.slice(
    Math.max(
      0,
      links.findIndex(({ id }) => id === first),
    ),
  )
}

const { readOutput } = responsesFormat

/** In the words of OpenAI's API, since clients then send the whole conversation. */
const responseNotFound = (): GatewayError =>
  new GatewayError('previous_response_not_found', {
    zh: '未找到所引用的响应或条目，请发送完整的对话内容',
    en: 'the response or item that the request refers to was not found; send the whole conversation instead',
  })

const backgroundNotStored = (): GatewayError =>
  new GatewayError('invalid_request', {
    zh: '后台响应必须存储，但请求设置了 store 为 false、内容过大或网关未启用存储',
    en: 'a response in the background must be stored, but the request has store: false, is too large, or nothing is stored here',
  })
