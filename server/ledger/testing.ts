import { newRequestId } from '../core/ids.ts'
import { sameInBoth } from '../core/language.ts'
import { noopLogger } from '../core/logger.ts'
import { quota } from '../core/money.ts'
import { updateTokenBalances, updateUserBalances } from '../db/billing/balances.ts'
import type { Database, OpenDatabase } from '../db/engine/database.ts'
import { inTransaction } from '../db/engine/database.ts'
import { openTestDatabase } from '../db/testing.ts'
import { adjustWallet, setTokenLimit } from './adjust.ts'
import type { LedgerDeps } from './commit.ts'
import { type Ledger, openLedger } from './ledger.ts'
import type { Bill, Hold, HoldRequest, LogEntry } from './ledger-command.ts'

/** The default values of the options that the ledger reads. */
export const LEDGER_OPTIONS = {
  LogConsumeEnabled: true,
  DisplayInCurrencyEnabled: true,
  QuotaPerUnit: 500_000,
}

/** A ledger on a database of its own. */
export interface TestLedger {
  readonly opened: OpenDatabase
  readonly db: Database
  readonly ledger: Ledger
  close(): Promise<void>
}

export async function openTestLedger({
  processId = 'first',
  options = () => LEDGER_OPTIONS,
}: Partial<Pick<LedgerDeps, 'processId' | 'options'>> = {}): Promise<TestLedger> {
  const opened = await openTestDatabase()
  const ledger = openLedger({
    db: opened.db,
    engine: opened.engine,
    log: noopLogger,
    processId,
    options,
  })
  return {
    opened,
    db: opened.db,
    ledger,
    async close() {
      await ledger.close()
      await opened.close()
    },
  }
}

const cause = { actorId: 1, reason: sameInBoth('test'), requestId: '' }

/** Takes an open hold back as if it had never been written: a new primary may lack its transaction. */
export async function loseHold(
  db: Database,
  { requestId, userId, tokenId, isTokenLimited, amount }: Hold,
): Promise<void> {
  await db.deleteFrom('holds').where('request_id', '=', requestId).execute()
  await db.deleteFrom('postings').where('request_id', '=', requestId).execute()
  await updateUserBalances(db, [{ userId, quota: amount, held: -amount, used: 0, requests: 0 }])
  if (tokenId !== null && isTokenLimited)
    await updateTokenBalances(db, [{ tokenId, remain: amount, used: 0, usedAt: 0 }])
}

/** The same with all holds that are open. */
export async function loseOpenHolds(db: Database): Promise<number> {
  const rows = await db.selectFrom('holds').selectAll().execute()
  for (const { request_id, user_id, token_id, is_token_limited, amount } of rows)
    await loseHold(db, {
      requestId: request_id,
      userId: user_id,
      tokenId: token_id,
      isTokenLimited: is_token_limited === 1,
      amount: quota(amount),
    })
  return rows.length
}

/** Creates a user with this many units in the wallet, posted as a gift. */
export async function createUser(db: Database, units: number): Promise<number> {
  const name = newRequestId()
  const { id } = await db
    .insertInto('users')
    .values({ username: name, aff_code: name, access_token_hash: null, created_at: 1, deleted_at: null })
    .returning('id')
    .executeTakeFirstOrThrow()
  await inTransaction(db, tx => adjustWallet(tx, { ...cause, userId: id, kind: 'gift', amount: units }))
  return id
}

/** Creates a token with a limit of this many units. */
export async function createToken(db: Database, userId: number, units: number): Promise<number> {
  const key = newRequestId()
  const { id } = await db
    .insertInto('tokens')
    .values({
      user_id: userId,
      name: 'test',
      key_hash: key,
      key_sealed: key,
      created_time: 1,
      accessed_time: 1,
      deleted_at: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await inTransaction(db, tx => setTokenLimit(tx, { ...cause, userId, tokenId: id, remain: quota(units) }))
  return id
}

export async function createChannel(db: Database): Promise<number> {
  const { id } = await db
    .insertInto('channels')
    .values({ type: 1, name: 'test', key_hash: '', key_sealed: '', created_time: 1, models: 'm' })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export const buildHoldRequest = (
  userId: number,
  amount: number,
  tokenId: number | null = null,
): HoldRequest => ({
  requestId: newRequestId(),
  userId,
  tokenId,
  isTokenLimited: tokenId !== null,
  amount: quota(amount),
})

export const buildLogEntry = (channelId = 0): LogEntry => ({
  username: 'tester',
  tokenName: 'test',
  modelName: 'gpt-4o',
  channelId,
  group: 'default',
  promptTokens: 10,
  completionTokens: 5,
  useTimeSeconds: 1.5,
  isStream: true,
  content: '',
})

export const buildBill = (amount: number, channelId = 0): Bill => ({
  amount: quota(amount),
  entry: buildLogEntry(channelId),
  receipt: { exact: String(amount) },
})

export async function readWallet(db: Database, userId: number) {
  return await db
    .selectFrom('users')
    .select(['quota', 'held_quota', 'used_quota', 'request_count'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
}

export async function readToken(db: Database, tokenId: number) {
  return await db
    .selectFrom('tokens')
    .select(['remain_quota', 'used_quota'])
    .where('id', '=', tokenId)
    .executeTakeFirstOrThrow()
}
