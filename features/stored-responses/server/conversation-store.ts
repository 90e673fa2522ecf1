import { nextTurn } from '#server/core/async.ts'
import { nowSeconds } from '#server/core/clock.ts'
import type { Secrets } from '#server/core/crypto.ts'
import { errorMessage, GatewayError } from '#server/core/errors.ts'
import { KIB, MIB } from '#server/core/limits.ts'
import type { Logger } from '#server/core/logger.ts'
import type { Database } from '#server/db/engine/database.ts'
import { deleteExpired } from '#server/db/engine/delete-expired.ts'
import { toConversationId } from '#server/dialects/responses/stored-ids.ts'
import { toListedItems } from '#server/dialects/responses/stored-items.ts'
import { asArray, asObject, asString, type JsonObject, parseJson } from '#server/provider-kit/json.ts'
import type { Recording } from '#server/relay/hooks.ts'
import { parseStored } from '#server/relay/request/read-json.ts'
import { type ItemPageQuery, unknownAfter } from './item-page.ts'
import {
  type ConversationItemRow,
  type ConversationRow,
  type ConversationSize,
  deleteConversationItemRow,
  deleteConversationItemsAt,
  deleteConversationRow,
  type ItemRange,
  insertConversation,
  insertConversationItems,
  selectConversation,
  selectConversationItem,
  selectConversationItems,
  sizeOf,
  updateConversationRow,
} from './queries/conversations.ts'
import { type Reserve, type StateOwner, toOwnerColumns } from './state-owner.ts'
import type { StoredSpace } from './stored-space.ts'

const DAY_SECONDS = 86_400
const BYTES_MAX = 32 * MIB
const ITEMS_MAX = 10_000
const POSITION_DIGITS = 6
/** The space that a conversation takes beside its content. */
const ROW_BYTES = 4 * KIB
/** Other requests run after so many bytes have been decrypted. */
export const BYTES_PER_TURN = MIB

/** Limits of the responses that are stored for providers that store none. */
export interface ResponseStoreLimits {
  readonly isEnabled: boolean
  /** Days after the last use of a response. */
  readonly days: number
  /** Of one user. */
  readonly bytesMax: number
}

export interface ResponseStoreDeps {
  readonly db: Database
  readonly secrets: Pick<Secrets, 'encrypt' | 'decrypt'>
  readonly log: Logger
  readonly limits: () => ResponseStoreLimits
}

export interface ConversationKey {
  readonly id: string
  readonly owner: StateOwner
}

interface AddedItems extends ConversationKey {
  readonly items: readonly JsonObject[]
  /** Ids and positions of the items begin with it, so that later requests add behind them. */
  readonly requestId: string
}

interface CreatedConversation extends Omit<AddedItems, 'id'> {
  readonly metadata: JsonObject
}

/** Items that belong together until they are deleted. Any provider can continue them. */
export class ConversationStore {
  private readonly deps: ResponseStoreDeps
  private readonly space: StoredSpace

  constructor(deps: ResponseStoreDeps, space: StoredSpace) {
    this.deps = deps
    this.space = space
  }

  /** Throws GatewayError `invalid_request` when nothing is to be stored. */
  async create({ owner, requestId, metadata, items }: CreatedConversation): Promise<JsonObject> {
    const { db, secrets, limits } = this.deps
    if (!limits().isEnabled) throw nothingStored()
    await deleteExpired(db, { table: 'conversations', key: 'id' }, nowSeconds())
    const id = toConversationId(requestId)
    const metadata_encrypted = secrets.encrypt(JSON.stringify(metadata))
    const row: ConversationRow = {
      id,
      ...toOwnerColumns(owner),
      metadata_encrypted,
      bytes: ROW_BYTES + metadata_encrypted.length,
      item_count: 0,
      created_at: nowSeconds(),
      ...this.times(),
    }
    await insertConversation(db, row)
    await this.space.add(owner.userId, row.bytes)
    await this.add({ id, owner, items, requestId })
    return this.toJson(row)
  }

  /** Throws GatewayError `not_found` for a conversation that the owner does not have, as all that follow. */
  async get(key: ConversationKey): Promise<JsonObject> {
    return this.toJson(await this.require(key))
  }

  async setMetadata(key: ConversationKey, metadata: JsonObject): Promise<JsonObject> {
    const row = await this.require(key)
    const metadata_encrypted = this.deps.secrets.encrypt(JSON.stringify(metadata))
    const bytes = metadata_encrypted.length - row.metadata_encrypted.length
    await updateConversationRow(this.deps.db, key.id, { metadata_encrypted, bytes, ...this.times() })
    return this.toJson({ ...row, metadata_encrypted })
  }

  async delete({ id, owner }: ConversationKey): Promise<void> {
    if (!(await deleteConversationRow(this.deps.db, id, owner))) throw conversationNotFound(id)
  }

  /** All items, the earliest first. `reserve` is told their size before they are read, and may throw. */
  async list({ id, owner }: ConversationKey, reserve: Reserve): Promise<readonly JsonObject[]> {
    const { bytes } = await this.require({ id, owner })
    reserve(Number(bytes))
    return this.openAll({ conversationId: id, isAscending: true, limit: ITEMS_MAX }, owner)
  }

  /** The items of a page and one more. `reserve` is told their likely size. */
  async page(key: ConversationKey, query: ItemPageQuery, reserve: Reserve): Promise<readonly JsonObject[]> {
    const { bytes, item_count } = await this.require(key)
    const limit = query.limit + 1
    reserve(Number(bytes) * Math.min(1, limit / Number(item_count)))
    const after = await this.positionOf(key, query.after)
    return this.openAll({ ...query, conversationId: key.id, limit, after }, key.owner)
  }

  private async positionOf({ id }: ConversationKey, itemId: string | null): Promise<string | undefined> {
    if (itemId === null) return undefined
    const row = await selectConversationItem(this.deps.db, id, itemId)
    if (!row) throw unknownAfter(itemId)
    return row.position
  }

  async getItem(key: ConversationKey, itemId: string): Promise<JsonObject> {
    await this.require(key)
    const row = await selectConversationItem(this.deps.db, key.id, itemId)
    if (!row) throw itemNotFound(itemId)
    return this.open(row, key.owner)
  }

  /** Other requests take their turns while many items are decrypted. */
  private async openAll(range: ItemRange, owner: StateOwner): Promise<readonly JsonObject[]> {
    const items: JsonObject[] = []
    let bytesInTurn = 0
    for (const row of await selectConversationItems(this.deps.db, range)) {
      items.push(await this.open(row, owner))
      bytesInTurn += row.item_encrypted.length
      if (bytesInTurn < BYTES_PER_TURN) continue
      bytesInTurn = 0
      await nextTurn()
    }
    return items
  }

  private async open({ item_encrypted: text }: ConversationItemRow, owner: StateOwner): Promise<JsonObject> {
    return asObject(await parseStored(this.deps.secrets.decrypt(text), owner))
  }

  /** Returns the items with their ids. Throws GatewayError `response_too_large` beyond the size of a conversation. */
  async add(added: AddedItems): Promise<readonly JsonObject[]> {
    await this.require(added)
    const listed = toListedItems(added.items, added.requestId)
    if (!(await this.insert(added, `${added.requestId}a`, listed))) throw conversationFull(this.max().bytes)
    await updateConversationRow(this.deps.db, added.id, { bytes: 0, ...this.times() })
    return listed
  }

  /** Throws GatewayError `response_too_large` when so many characters cannot be added, and `not_found`. */
  async requireRoom(key: ConversationKey, chars: number): Promise<void> {
    const { bytes, item_count } = await this.require(key)
    const max = this.max()
    if (Number(bytes) + chars > max.bytes || Number(item_count) >= max.items)
      throw conversationFull(max.bytes)
  }

  private max(): ConversationSize {
    return { bytes: Math.min(BYTES_MAX, this.deps.limits().bytesMax), items: ITEMS_MAX }
  }

  /** False when the conversation cannot take the items. */
  private async insert(
    { id, owner }: ConversationKey,
    prefix: string,
    items: readonly JsonObject[],
    max = this.max(),
  ): Promise<boolean> {
    const rows = this.toRows(id, prefix, items)
    const isInserted = await insertConversationItems(this.deps.db, { id, rows, max })
    if (isInserted) await this.space.add(owner.userId, sizeOf(rows).bytes)
    return isInserted
  }

  async deleteItem(key: ConversationKey, itemId: string): Promise<JsonObject> {
    const row = await this.require(key)
    if (!(await deleteConversationItemRow(this.deps.db, key.id, itemId))) throw itemNotFound(itemId)
    return this.toJson(row)
  }

  /** Adds the input of a request when its response begins, and the output when it is complete. */
  record(added: AddedItems): Recording {
    const { id, owner, requestId } = added
    // Dropped once it is written, since a stream must not keep its input in memory.
    const waiting: AddedItems[] = [added]
    return this.createRecording({ id, owner }, requestId, waiting)
  }

  private createRecording(key: ConversationKey, requestId: string, waiting: AddedItems[]): Recording {
    let adding: Promise<void> | undefined
    let isOver = false
    const begin = (): void => {
      const input = waiting.pop()
      if (input) adding = this.attempt(() => this.add(input))
    }
    const end = async (last: () => Promise<unknown>): Promise<void> => {
      if (isOver) return
      isOver = true
      await adding
      await this.attempt(last)
    }
    return {
      begin,
      complete: response => {
        begin()
        const output = asArray(response.output).map(asObject)
        return end(() => this.insert(key, `${requestId}b`, output, NO_MAX))
      },
      drop: () => end(() => deleteConversationItemsAt(this.deps.db, key.id, requestId)),
    }
  }

  private toRows(
    conversationId: string,
    prefix: string,
    items: readonly JsonObject[],
  ): readonly ConversationItemRow[] {
    return items.map((item, index) => ({
      conversation_id: conversationId,
      position: prefix + String(index).padStart(POSITION_DIGITS, '0'),
      item_id: asString(item.id) ?? '',
      item_encrypted: this.deps.secrets.encrypt(JSON.stringify(item)),
    }))
  }

  private async require({ id, owner }: ConversationKey): Promise<ConversationRow> {
    const row = await selectConversation(this.deps.db, { id, owner, nowSeconds: nowSeconds() })
    if (!row) throw conversationNotFound(id)
    return row
  }

  private toJson({ id, created_at, metadata_encrypted }: ConversationRow): JsonObject {
    const metadata = parseJson(this.deps.secrets.decrypt(metadata_encrypted))
    return { id, object: 'conversation', created_at: Number(created_at), metadata }
  }

  private times(): Pick<ConversationRow, 'used_at' | 'expires_at'> {
    const now = nowSeconds()
    return { used_at: now, expires_at: now + this.deps.limits().days * DAY_SECONDS }
  }

  /** The client has paid for the response and gets it in any case. */
  private async attempt(write: () => Promise<unknown>): Promise<void> {
    try {
      await write()
    } catch (error) {
      this.deps.log.warn('items could not be added to a conversation', { reason: errorMessage(error) })
    }
  }
}

/** The client has paid for an output. */
const NO_MAX: ConversationSize = { bytes: Number.MAX_SAFE_INTEGER, items: Number.MAX_SAFE_INTEGER }

const nothingStored = (): GatewayError =>
  new GatewayError('invalid_request', {
    zh: '网关未启用存储，请在请求中发送完整的对话内容',
    en: 'nothing is stored here; send the whole conversation with each request',
  })

const conversationNotFound = (id: string): GatewayError =>
  new GatewayError('not_found', {
    zh: `没有 ID 为 ${JSON.stringify(id)} 的会话`,
    en: `there is no conversation with the ID ${JSON.stringify(id)}`,
  })

const itemNotFound = (id: string): GatewayError =>
  new GatewayError('not_found', {
    zh: `没有 ID 为 ${JSON.stringify(id)} 的条目`,
    en: `there is no item with the ID ${JSON.stringify(id)}`,
  })

const conversationFull = (bytesMax: number): GatewayError =>
  new GatewayError('response_too_large', {
    zh: `会话最多 ${ITEMS_MAX} 个条目、${bytesMax} 字节，请新建会话`,
    en: `a conversation has at most ${ITEMS_MAX} items and ${bytesMax} bytes; create another one`,
  })
