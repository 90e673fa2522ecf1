import { everyMs, nowSeconds } from '#server/core/clock.ts'
import { errorMessage } from '#server/core/errors.ts'
import { type Logger, throttledLog } from '#server/core/logger.ts'
import type { Database } from '#server/db/engine/database.ts'
import { ADDRESSES_PER_TOKEN_MAX } from '../contract.ts'
import { deleteAddressesUnusedSince, deleteEarlierAddresses, upsertAddresses } from './queries.ts'

const WRITE_INTERVAL_MS = 10_000
const MINUTE_SECONDS = 60
/** Beyond it, uses are left to the next interval. */
const PENDING_MAX = 10_000
/** Old rows that one turn deletes. */
const CLEANED_AT_ONCE = 1_000
const DAY_SECONDS = 86_400
const KEPT_DAYS = 90
/** Beyond it, addresses that were written before are written anew. */
const KNOWN_MAX = 10_000
const ROWS_AT_ONCE = 100

interface Use {
  readonly tokenId: number
  readonly address: string
  readonly isNew: boolean
  at: number
}

interface AddressBookDeps {
  readonly db: Database
  readonly log: Logger
}

/**
 * From where each token is used. A request adds to memory, and `write` stores: each address of a token at most once a
 * minute, and of a token with ever new ones no more than the list shows.
 */
export class AddressBook {
  readonly #deps: AddressBookDeps
  readonly #logFailure: ReturnType<typeof throttledLog>
  /** When each address of a token was written last, by token and address. */
  readonly #written = new Map<string, number>()
  readonly #pending = new Map<string, Use>()
  readonly #pendingOfToken = new Map<number, number>()
  #cleanedAt = 0

  constructor(deps: AddressBookDeps) {
    this.#deps = deps
    this.#logFailure = throttledLog(deps.log, 'the addresses of tokens could not be written')
  }

  add(tokenId: number, address: string): void {
    const key = `${tokenId} ${address}`
    const now = nowSeconds()
    const pending = this.#pending.get(key)
    if (pending) {
      pending.at = now
      return
    }
    const writtenAt = this.#written.get(key)
    if (writtenAt !== undefined && now - writtenAt < MINUTE_SECONDS) return
    const count = this.#pendingOfToken.get(tokenId) ?? 0
    if (count >= ADDRESSES_PER_TOKEN_MAX || this.#pending.size >= PENDING_MAX) return
    this.#pendingOfToken.set(tokenId, count + 1)
    this.#pending.set(key, { tokenId, address, isNew: writtenAt === undefined, at: now })
  }

  /** Writes at an interval. Returns the function that stops it. */
  readonly job = (): (() => Promise<void>) => everyMs(WRITE_INTERVAL_MS, () => this.write())

  /** Never rejects: what could not be written is noted again by the next request. */
  async write(): Promise<void> {
    const uses = [...this.#pending]
    this.#pending.clear()
    this.#pendingOfToken.clear()
    try {
      for (let from = 0; from < uses.length; from += ROWS_AT_ONCE)
        await this.#writeSome(uses.slice(from, from + ROWS_AT_ONCE))
      await this.#clean()
    } catch (error) {
      this.#logFailure({ reason: errorMessage(error) })
    }
  }

  async #writeSome(uses: ReadonlyArray<readonly [string, Use]>): Promise<void> {
    const { db } = this.#deps
    await upsertAddresses(
      db,
      uses.map(([, { tokenId, address, at }]) => ({
        token_id: tokenId,
        address,
        first_time: at,
        last_time: at,
      })),
    )
    if (this.#written.size + uses.length > KNOWN_MAX) this.#written.clear()
    for (const [key, { at }] of uses) this.#written.set(key, at)
    const grown = new Set(uses.filter(([, { isNew }]) => isNew).map(([, { tokenId }]) => tokenId))
    for (const tokenId of grown) await deleteEarlierAddresses(db, tokenId, ADDRESSES_PER_TOKEN_MAX)
  }

  /** Once a day, in as many turns as it takes. */
  async #clean(): Promise<void> {
    const now = nowSeconds()
    if (now - this.#cleanedAt < DAY_SECONDS) return
    const unusedSince = now - KEPT_DAYS * DAY_SECONDS
    const deleted = await deleteAddressesUnusedSince(this.#deps.db, unusedSince, CLEANED_AT_ONCE)
    if (deleted < CLEANED_AT_ONCE) this.#cleanedAt = now
  }
}
