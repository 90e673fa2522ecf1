import { ROLE } from '#contract/enums.ts'
import { nextTurn } from '../../core/async.ts'
import { nowSeconds } from '../../core/clock.ts'
import { CHANNEL_KEY_PURPOSE, type Secrets } from '../../core/crypto.ts'
import { errorMessage, GatewayError } from '../../core/errors.ts'
import { toHandle } from '../../core/ids.ts'
import type { Logger } from '../../core/logger.ts'
import {
  type AccountHandleRow,
  insertAccountHandles,
  selectAccountHandles,
} from '../../db/channels/account-handles.ts'
import type { Database } from '../../db/engine/database.ts'
import { deleteExpired } from '../../db/engine/delete-expired.ts'
import type { AccountReferences, RequestReferences } from '../../provider-kit/contract/client-dialect.ts'
import type { ChannelView } from '../../provider-kit/contract/operation-adapter.ts'
import { idNotFound } from '../../provider-kit/validation.ts'
import type { ActiveRequest, BoundAccount, Caller, SettingsReader } from '../types.ts'
import type { RoutedChannel } from './channel-directory.ts'

/** The time for which OpenAI stores responses. */
const KEPT_SECONDS = 30 * 86_400
const CLEANUP_SECONDS = 3_600
/** Handles in memory; the database has all. */
const CACHED_MAX = 50_000
const BATCH_ROWS_MAX = 200
/** References that are looked up for one request: the latest, since all are of one account. */
const REFERENCES_MAX = 500

interface AccountHandlesDeps {
  readonly db: Database
  readonly secrets: Pick<Secrets, 'hash'>
  readonly log: Logger
}

/**
 * Remembers which account made what only it can read again: stored responses, their items, encrypted reasoning, containers,
 * files. Requests that refer to it are bound to that account, in every process and after a restart.
 */
export class AccountHandles {
  private readonly deps: AccountHandlesDeps
  private readonly cache = new Map<string, AccountHandleRow>()
  private readonly unwritten = new Map<string, AccountHandleRow>()
  private writing: Promise<void> | undefined
  private cleanupAt = 0

  constructor(deps: AccountHandlesDeps) {
    this.deps = deps
  }

  /**
   * Throws GatewayError `previous_response_not_found` for stored state that the caller did not make through us, or that
   * several accounts made, and `invalid_encrypted_content` for what another user's request made. Content that nobody
   * made through us is left to the provider, who verifies it. Throws `not_found` for an id of what another user's request
   * made, or nobody's, unless the user `mayUseUnknown`.
   */
  async find(
    { stored, droppable, ids = [] }: AccountReferences & Partial<RequestReferences>,
    caller: HandleOwner,
    mayUseUnknown = false,
  ): Promise<BoundAccount | undefined> {
    const { userId } = caller
    const kept = ids.slice(0, REFERENCES_MAX).map(toHandle)
    const rows = await this.read([...stored, ...kept, ...droppable.slice(-REFERENCES_MAX)])
    if (stored.some(handle => !isOwn(rows.get(handle), caller))) throw responseNotFound()
    const foreign = ids.find((_, at) => {
      const row = rows.get(kept[at] ?? '')
      return row ? !isOwn(row, caller) : !mayUseUnknown
    })
    if (foreign !== undefined) throw idNotFound(foreign)
    const accounts = [...stored, ...kept, ...droppable].flatMap(handle => rows.get(handle) ?? [])
    if (accounts.some(({ user_id }) => user_id !== userId)) throw foreignContent()
    const required = [...stored, ...kept].find(handle => rows.has(handle))
    const latest = rows.get(required ?? '') ?? accounts.at(-1)
    const isRequired = required !== undefined
    return latest && { channelId: latest.channel_id, keyHash: latest.key_hash, isRequired }
  }

  /** Resolves when other processes can find the handles. Never rejects. */
  async remember(handles: readonly string[], caller: HandleOwner, channel: RoutedChannel): Promise<void> {
    const account = {
      user_id: caller.userId,
      token_id: restrictedTokenOf(caller),
      channel_id: channel.id,
      key_hash: this.keyHash(channel.view),
      expires_at: nowSeconds() + KEPT_SECONDS,
    }
    for (const handle of handles) {
      const row = { handle, ...account }
      this.keep(row)
      this.unwritten.set(handle, row)
    }
    do {
      this.writing ??= this.write()
      await this.writing
      // A write that was about to end has not taken them.
    } while (handles.some(handle => this.unwritten.has(handle)))
  }

  /** Whether the channel with its key can read all that the request refers to. */
  canRead(
    { boundAccount }: { readonly boundAccount?: BoundAccount | undefined },
    channel: RoutedChannel,
  ): boolean {
    return (
      !boundAccount || (boundAccount.channelId === channel.id && this.isKeyOf(boundAccount, channel.view))
    )
  }

  /** Whether an account is the one with this key. */
  isKeyOf({ keyHash }: Pick<BoundAccount, 'keyHash'>, view: ChannelView): boolean {
    return this.keyHash(view) === keyHash
  }

  private keyHash({ key }: ChannelView): string {
    return this.deps.secrets.hash(CHANNEL_KEY_PURPOSE, key)
  }

  /** Writes until nothing is left. Handles that cannot be written are kept in memory. */
  private async write(): Promise<void> {
    const { db, log } = this.deps
    try {
      while (this.unwritten.size > 0) {
        await nextTurn()
        const rows = [...this.unwritten.values()].slice(0, BATCH_ROWS_MAX)
        for (const { handle } of rows) this.unwritten.delete(handle)
        await insertAccountHandles(db, rows)
      }
      await this.cleanUp()
    } catch (error) {
      log.warn('what accounts have made could not be stored', { reason: errorMessage(error) })
    } finally {
      this.writing = undefined
    }
  }

  private async cleanUp(): Promise<void> {
    const now = nowSeconds()
    if (now < this.cleanupAt) return
    this.cleanupAt = now + CLEANUP_SECONDS
    await deleteExpired(this.deps.db, { table: 'account_handles', key: 'handle' }, now)
  }

  private async read(handles: readonly string[]): Promise<ReadonlyMap<string, AccountHandleRow>> {
    const rows = new Map<string, AccountHandleRow>()
    const unknown: string[] = []
    for (const handle of handles) {
      const row = this.cache.get(handle)
      if (row) rows.set(handle, row)
      else unknown.push(handle)
    }
    if (unknown.length === 0) return rows
    for (const row of await selectAccountHandles(this.deps.db, unknown, nowSeconds())) {
      this.keep(row)
      rows.set(row.handle, row)
    }
    return rows
  }

  private keep(row: AccountHandleRow): void {
    // Deleting first moves the handle to the end, so that the first one is the least recently used.
    this.cache.delete(row.handle)
    this.cache.set(row.handle, row)
    const [oldest] = this.cache.keys()
    if (this.cache.size > CACHED_MAX && oldest !== undefined) this.cache.delete(oldest)
  }
}

type HandleOwner = Pick<Caller, 'userId' | 'token'>

const restrictedTokenOf = ({ token }: HandleOwner): number => (token?.isRestricted ? token.id : 0)

/** What a restricted token made is for it alone, and it reads nothing else. Encrypted content is its reader's anyway. */
const isOwn = (row: AccountHandleRow | undefined, caller: HandleOwner): boolean =>
  row?.user_id === caller.userId && (row.token_id ?? restrictedTokenOf(caller)) === restrictedTokenOf(caller)

/** In the words of OpenAI's API, since clients then start afresh. */
const responseNotFound = (): GatewayError =>
  new GatewayError('previous_response_not_found', {
    zh: '未找到所引用的响应或条目，请发送完整的对话内容',
    en: 'the response or item that the request refers to was not found; send the whole conversation instead',
  })

const foreignContent = (): GatewayError =>
  new GatewayError('invalid_encrypted_content', {
    zh: '加密内容无法验证，请去掉后重试',
    en: 'the encrypted content could not be verified; leave it out and try again',
  })

/** The account is gone or does not serve the request. */
export const accountGone = responseNotFound

/** The handles of signed reasoning, for clients that will send it back as encrypted content. */
export const signatureHandles = (
  { client }: Pick<ActiveRequest, 'client'>,
  signatures: readonly string[],
): readonly string[] => (client.readAccountReferences ? signatures.map(toHandle) : [])

/** Whether the caller may name what an account of a provider keeps although no request of the user made it. */
export function mayUseUnknownIds(
  { role }: Pick<Caller, 'role'>,
  settings: SettingsReader<'UnknownAccountIds'>,
): boolean {
  const { UnknownAccountIds: users } = settings.current()
  return users === 'everyone' || (users === 'administrators' && role >= ROLE.admin)
}
