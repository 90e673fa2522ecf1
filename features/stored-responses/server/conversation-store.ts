import { nowSeconds } from '#server/core/clock.ts'
import type { Secrets } from '#server/core/crypto.ts'
import { errorMessage, GatewayError } from '#server/core/errors.ts'
import { MIB } from '#server/core/limits.ts'
import type { Logger } from '#server/core/logger.ts'
import type { Database } from '#server/db/engine/database.ts'
import { deleteExpired } from '#server/db/engine/delete-expired.ts'
import { toConversationId } from '#server/dialects/responses/stored-ids.ts'
import { toListedItems } from '#server/dialects/responses/stored-items.ts'
import { asArray, asObject, asString, type JsonObject, parseJson } from '#server/provider-kit/json.ts'
import type { Recording } from '#server/relay/hooks.ts'
import {
  type ConversationItemRow,
  type ConversationRow,
  deleteConversationItemRow,
  deleteConversationItemsAt,
  deleteConversationRow,
  insertConversation,
  insertConversationItems,
  selectConversation,
  selectConversationItems,
  sumConversationItems,
  trimConversations,
  updateConversationRow,
} from './queries/conversations.ts'

const DAY_SECONDS = 86_400
const BYTES_MAX = 32 * MIB
const ITEMS_MAX = 10_000
const POSITION_DIGITS = 6

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

export interface ConversationOwner {
  readonly id: string
  readonly userId: number
}

interface AddedItems extends ConversationOwner {
  readonly items: readonly JsonObject[]
  /** Ids and positions of the items begin with it, so that later requests add behind them. */
  readonly requestId: string
}

interface CreatedConversation {
  readonly userId: number
  readonly requestId: string
  readonly metadata: JsonObject
  readonly items: readonly JsonObject[]
}

/** Items that belong together until they are deleted. Any provider can continue them. */
export class ConversationStore {
  private readonly deps: ResponseStoreDeps

  constructor(deps: ResponseStoreDeps) {
    this.deps = deps
  }

  /** Throws GatewayError `invalid_request` when nothing is to be stored. */
  async create({ userId, requestId, metadata, items }: CreatedConversation): Promise<JsonObject> {
    const { db, secrets, limits } = this.deps
    const { isEnabled, bytesMax } = limits()
    if (!isEnabled) throw nothingStored()
    await trimConversations(db, userId, bytesMax)
    await deleteExpired(db, { table: 'conversations', key: 'id' }, nowSeconds())
    const id = toConversationId(requestId)
    const row: ConversationRow = {
      id,
      user_id: userId,
      metadata_encrypted: secrets.encrypt(JSON.stringify(metadata)),
      created_at: nowSeconds(),
      ...this.times(),
    }
    await insertConversation(db, row)
    await this.add({ id, userId, items, requestId })
    return this.toJson(row)
  }

  /** Throws GatewayError `not_found` for a conversation that the user does not have, as all that follow. */
  async get(owner: ConversationOwner): Promise<JsonObject> {
    return this.toJson(await this.require(owner))
  }

  async setMetadata(owner: ConversationOwner, metadata: JsonObject): Promise<JsonObject> {
    const row = await this.require(owner)
    const metadata_encrypted = this.deps.secrets.encrypt(JSON.stringify(metadata))
    await updateConversationRow(this.deps.db, owner.id, { metadata_encrypted, ...this.times() })
    return this.toJson({ ...row, metadata_encrypted })
  }

  async delete({ id, userId }: ConversationOwner): Promise<void> {
    if (!(await deleteConversationRow(this.deps.db, id, userId))) throw conversationNotFound(id)
  }

  /** All items, the earliest first. */
  async list(owner: ConversationOwner): Promise<readonly JsonObject[]> {
    await this.require(owner)
    const rows = await selectConversationItems(this.deps.db, owner.id)
    return rows.map(row => asObject(parseJson(this.deps.secrets.decrypt(row.item_encrypted))))
  }

  /** Returns the items with their ids. Throws GatewayError `response_too_large` beyond the size of a conversation. */
  async add(added: AddedItems): Promise<readonly JsonObject[]> {
    await this.require(added)
    const { db } = this.deps
    const listed = toListedItems(added.items, added.requestId)
    const rows = this.toRows(added.id, `${added.requestId}a`, listed)
    await this.requireRoom(
      added,
      rows.reduce((sum, { item_encrypted: text }) => sum + text.length, 0),
      rows.length,
    )
    await insertConversationItems(db, rows)
    await updateConversationRow(db, added.id, this.times())
    return listed
  }

  /** Throws GatewayError `response_too_large` when so much cannot be added. */
  async requireRoom({ id }: ConversationOwner, addedBytes: number, addedItems = 1): Promise<void> {
    const { count, bytes } = await sumConversationItems(this.deps.db, id)
    const bytesMax = Math.min(BYTES_MAX, this.deps.limits().bytesMax)
    if (bytes + addedBytes > bytesMax || count + addedItems > ITEMS_MAX) throw conversationFull(bytesMax)
  }

  async deleteItem(owner: ConversationOwner, itemId: string): Promise<JsonObject> {
    const row = await this.require(owner)
    if (!(await deleteConversationItemRow(this.deps.db, owner.id, itemId))) throw itemNotFound(itemId)
    return this.toJson(row)
  }

  /** Adds the input of a request when its response begins, and the output when it is complete. */
  record(added: AddedItems): Recording {
    const { id, userId, requestId } = added
    // Dropped once it is written, since a stream must not keep its input in memory.
    const waiting: AddedItems[] = [added]
    return this.createRecording({ id, userId }, requestId, waiting)
  }

  private createRecording({ id }: ConversationOwner, requestId: string, waiting: AddedItems[]): Recording {
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
        return end(() => this.addOutput(id, requestId, output))
      },
      drop: () => end(() => deleteConversationItemsAt(this.deps.db, id, requestId)),
    }
  }

  private addOutput(id: string, requestId: string, output: readonly JsonObject[]): Promise<void> {
    return insertConversationItems(this.deps.db, this.toRows(id, `${requestId}b`, output))
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

  private async require({ id, userId }: ConversationOwner): Promise<ConversationRow> {
    const row = await selectConversation(this.deps.db, { id, userId, nowSeconds: nowSeconds() })
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

export const itemNotFound = (id: string): GatewayError =>
  new GatewayError('not_found', {
    zh: `没有 ID 为 ${JSON.stringify(id)} 的条目`,
    en: `there is no item with the ID ${JSON.stringify(id)}`,
  })

const conversationFull = (bytesMax: number): GatewayError =>
  new GatewayError('response_too_large', {
    zh: `会话最多 ${ITEMS_MAX} 个条目、${bytesMax} 字节，请新建会话`,
    en: `a conversation has at most ${ITEMS_MAX} items and ${bytesMax} bytes; create another one`,
  })
