import { GatewayError } from '../core/errors.ts'
import { type AmountFormat, formatQuota } from '../core/money.ts'
import {
  findFreeQuota,
  findTokenRemain,
  holdFromTokens,
  holdFromWallets,
  updateUserBalances,
} from '../db/billing/balances.ts'
import { addToHoldAmount, countOpenHolds, type HoldRow, insertHolds } from '../db/billing/holds.ts'
import { findClosings } from '../db/billing/postings.ts'
import type { Connection } from '../db/engine/database.ts'
import { type BudgetBook, type OpenBudgets, sharesToTake, writeShares } from './budgets.ts'
import type { LedgerBatch } from './ledger-batch.ts'
import type { HeldShares, HoldRequest, LedgerCommand, OpenCommand, ReserveCommand } from './ledger-command.ts'

/** Why a command was not applied. A command that is not in here was applied. */
export type Rejections = ReadonlyMap<LedgerCommand, GatewayError | 'closed'>

/** Outcomes of the commands of one transaction. */
export interface OpenResults {
  readonly rejections: Rejections
  /** Holds that were granted although wallet or token had less than their amount. */
  readonly short: ReadonlySet<LedgerCommand>
}

interface OpenInput {
  readonly commands: readonly OpenCommand[]
  readonly processId: string
  readonly amountFormat: AmountFormat
  readonly book: BudgetBook | undefined
}

/** Reserves and extends holds. A rejected command changes nothing and affects no other command. */
export async function applyOpens(
  connection: Connection,
  batch: LedgerBatch,
  { commands, processId, amountFormat, book }: OpenInput,
): Promise<OpenResults> {
  const { closed, extended } = await extendHolds(connection, commands)
  const rejections = new Map<LedgerCommand, GatewayError | 'closed'>([
    ...closed,
    ...(await findOverLimit(connection, commands.filter(isReserve))),
  ])
  const demands = commands
    .filter(command => !rejections.has(command))
    .map(command => toDemand(command, extended.get(command)))
  const shares = demands.flatMap(demand => demand.shares)
  const budgets = shares.length > 0 ? await book?.open(connection, shares, batch.budgets.values()) : undefined
  const { rejected, short } = await holdAll(connection, demands, { budgets, amountFormat })
  for (const [{ command, isNew, amount }, rejection] of rejected) {
    rejections.set(command, rejection)
    if (!isNew) await addToHoldAmount(connection, -amount, command.hold.requestId)
  }
  const newHolds: HoldRow[] = []
  for (const { command, isNew, amount, shares } of demands.filter(demand => !rejected.has(demand))) {
    const row = { ...toHoldRow(command.hold), amount }
    batch.holdShares(shares)
    if (isNew) newHolds.push(row)
    if (takesMoney(row)) batch.post(row, isNew ? 'hold' : 'extension', amount)
  }
  const opening = { process_id: processId, opened_at: batch.nowSeconds }
  await insertHolds(
    connection,
    newHolds.map(row => ({ ...row, ...opening })),
  )
  return { rejections, short }
}

/**
 * Extends the rows of holds before the money is reserved. A hold without a row is closed, or was lost in a failover of the
 * database: then it is reserved anew.
 */
async function extendHolds(connection: Connection, commands: readonly OpenCommand[]) {
  const closed = new Map<OpenCommand, 'closed'>()
  const extended = new Map<OpenCommand, ExtendedHold>()
  for (const command of commands) {
    if (command.kind !== 'extend') continue
    const { requestId } = command.hold
    const [row] = await addToHoldAmount(connection, command.by, requestId)
    if (row) extended.set(command, row)
    if (row) continue
    const closings = await findClosings(connection, [requestId])
    if (closings.length > 0) closed.set(command, 'closed')
  }
  return { closed, extended }
}

/** What an open hold has after its extension. */
type ExtendedHold = Pick<HoldRow, 'amount' | 'budgets'>

const isReserve = (command: OpenCommand): command is ReserveCommand => command.kind === 'reserve'

export const toHoldRow = (hold: HoldRequest): HoldRow => ({
  request_id: hold.requestId,
  user_id: hold.userId,
  token_id: hold.tokenId,
  is_token_limited: hold.isTokenLimited ? 1 : 0,
  amount: hold.amount,
  budgets: hold.budgets?.length ? writeShares(hold.budgets, hold.amount) : null,
  paid_by: hold.paidBy?.subscriptionId ?? null,
})

/** A hold whose row is gone takes nothing any more. */
export const toLostRow = (hold: HoldRequest): HoldRow => ({
  ...toHoldRow({ ...hold, budgets: hold.budgets?.map(share => ({ ...share, amount: 0 })) ?? [] }),
  amount: 0,
})

/** Whether wallet and token pay for it. */
const takesMoney = ({ amount, paid_by }: HoldRow): boolean => amount > 0 && paid_by === null

type LimitScope = 'user' | 'token'

/** The gateway cannot know when a running request ends. */
const RETRY_AFTER_SECONDS = 1

/**
 * The reserves that would exceed the concurrency limit of their user or token, with the error. Every process opens holds
 * under the lock of their user, so two of them never count the same free slot.
 */
async function findOverLimit(
  connection: Connection,
  reserves: readonly ReserveCommand[],
): Promise<ReadonlyMap<ReserveCommand, GatewayError>> {
  const rejected = new Map<ReserveCommand, GatewayError>()
  const limited = reserves.filter(({ hold }) => hold.limits)
  if (limited.length === 0) return rejected
  const open = await countOpenHoldsByScope(connection, limited)
  for (const reserve of limited) {
    const { limits = { user: 0, token: 0 } } = reserve.hold
    const scopes = listScopes(reserve)
    const full = scopes.find(({ scope, key }) => limits[scope] > 0 && (open.get(key) ?? 0) >= limits[scope])
    if (full) rejected.set(reserve, tooManyRequests(full.scope, limits[full.scope]))
    else for (const { key } of scopes) open.set(key, (open.get(key) ?? 0) + 1)
  }
  return rejected
}

/** Open holds by the key of their user and of their token. */
async function countOpenHoldsByScope(
  connection: Connection,
  reserves: readonly ReserveCommand[],
): Promise<Map<string, number>> {
  const open = new Map<string, number>()
  const userIds = new Set(reserves.map(({ hold }) => hold.userId))
  for (const row of await countOpenHolds(connection, [...userIds]))
    for (const key of [`user ${row.user_id}`, `token ${row.token_id}`])
      open.set(key, (open.get(key) ?? 0) + row.open)
  return open
}

/** The scopes in which this reserve takes a slot. */
function listScopes({
  hold,
}: ReserveCommand): readonly { readonly scope: LimitScope; readonly key: string }[] {
  const user = { scope: 'user', key: `user ${hold.userId}` } as const
  return hold.tokenId === null ? [user] : [{ scope: 'token', key: `token ${hold.tokenId}` }, user]
}

const SCOPE_ZH: Readonly<Record<LimitScope, string>> = { user: '该用户', token: '该令牌' }

const tooManyRequests = (scope: LimitScope, limit: number): GatewayError =>
  new GatewayError(
    'too_many_requests',
    {
      zh: `${SCOPE_ZH[scope]}最多同时发起 ${limit} 个请求，请在其中一个结束后重试`,
      en: `the ${scope} is limited to ${limit} concurrent requests; try again when one has ended`,
    },
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  )

/** An amount to reserve on a wallet and, where `tokenId` is set, on that token's limit too. */
interface FundsDemand {
  readonly command: OpenCommand
  /** Opens a hold and does not extend one. */
  readonly isNew: boolean
  readonly userId: number
  readonly tokenId: number | null
  readonly amount: number
  /** Required balances of wallet and token. */
  readonly minimum: number
  readonly shares: HeldShares
}

function toDemand(command: OpenCommand, extended: ExtendedHold | undefined): FundsDemand {
  const { hold } = command
  const { userId, minimum = hold.amount } = hold
  const tokenId = hold.isTokenLimited ? hold.tokenId : null
  const demand = { command, isNew: !extended, userId, tokenId }
  if (command.kind === 'reserve')
    return { ...demand, amount: hold.amount, minimum, shares: hold.budgets ?? [] }
  const amount = extended ? command.by : hold.amount + command.by
  const shares = toShares(hold, extended ?? { ...toHoldRow(hold), amount }, extended && amount)
  return { ...demand, amount, minimum: amount, shares }
}

const toShares = (hold: HoldRequest, row: ExtendedHold, by?: number) =>
  row.budgets === null ? [] : sharesToTake(hold, row, by)

/**
 * Takes each demand from its budgets, wallet and token: all of them or none. A budget that an unpaid demand would have used
 * is tried again by those that it kept out.
 */
async function holdAll(
  connection: Connection,
  demands: readonly FundsDemand[],
  terms: { readonly budgets: OpenBudgets | undefined; readonly amountFormat: AmountFormat },
): Promise<Pick<OpenResults, 'short'> & { readonly rejected: ReadonlyMap<FundsDemand, GatewayError> }> {
  const excess = terms.budgets?.take(demands) ?? new Map<FundsDemand, GatewayError>()
  const within = excess.size > 0 ? demands.filter(demand => !excess.has(demand)) : demands
  const { unfunded, short } = await holdFunds(connection, within)
  if (unfunded.size === 0) return { rejected: excess, short }
  const rejected = new Map<FundsDemand, GatewayError>()
  for (const [demand, shortage] of unfunded) {
    rejected.set(demand, insufficientFunds(shortage, terms.amountFormat))
    for (const share of demand.shares) terms.budgets?.add(share, -share.amount)
  }
  if (excess.size === 0) return { rejected, short }
  const again = await holdAll(connection, [...excess.keys()], terms)
  return { rejected: new Map([...rejected, ...again.rejected]), short: new Set([...short, ...again.short]) }
}

interface FundingResults {
  readonly unfunded: ReadonlyMap<FundsDemand, Shortage>
  readonly short: ReadonlySet<LedgerCommand>
}

/**
 * Reserves each demand on wallet and token, both or none.
 *
 * The demands on one wallet are first tried as one sum, and one by one in their order only when the sum exceeds the
 * balance. A demand of 0, or one that a subscription pays, is granted whatever the balance. One that only its minimum is there
 * for takes the balance below zero, where no minimum is left for a further one: at any time, all open holds but the last are
 * covered.
 */
async function holdFunds(connection: Connection, demands: readonly FundsDemand[]): Promise<FundingResults> {
  const unaffordable = await holdSums(
    connection,
    demands.filter(({ command, amount }) => amount > 0 && !command.hold.paidBy),
  )
  const unfunded = new Map<FundsDemand, Shortage>()
  const short = new Set<LedgerCommand>()
  for (const demand of unaffordable) {
    const result = await holdOne(connection, demand)
    if ('payer' in result) unfunded.set(demand, result)
    else if (result.isShort) short.add(demand.command)
  }
  return { unfunded, short }
}

/** Returns the demands whose wallet or token cannot afford the sum; nothing is reserved for those. */
async function holdSums(
  connection: Connection,
  demands: readonly FundsDemand[],
): Promise<readonly FundsDemand[]> {
  const funded = collectIds(await holdFromWallets(connection, sumById(demands, getUserId)))
  const unaffordable = demands.filter(demand => !funded.has(getUserId(demand)))
  const limited = demands.filter(demand => demand.tokenId !== null && funded.has(getUserId(demand)))
  return limited.length === 0
    ? unaffordable
    : [...unaffordable, ...(await holdTokenSums(connection, limited))]
}

/** Returns the demands whose token cannot afford the sum, after returning their part to the wallets. */
async function holdTokenSums(
  connection: Connection,
  demands: readonly FundsDemand[],
): Promise<readonly FundsDemand[]> {
  const funded = collectIds(await holdFromTokens(connection, sumById(demands, getTokenId)))
  const unaffordable = demands.filter(demand => !funded.has(getTokenId(demand)))
  await returnToWallets(connection, unaffordable)
  return unaffordable
}

async function holdOne(
  connection: Connection,
  demand: FundsDemand,
): Promise<Shortage | { readonly isShort: boolean }> {
  const { userId, tokenId, amount, minimum } = demand
  const [wallet] = await holdFromWallets(connection, [{ id: userId, amount, minimum }])
  if (!wallet) return { payer: 'wallet', found: await findFreeQuota(connection, userId), needed: minimum }
  if (tokenId === null) return { isShort: wallet.remaining < 0 }
  const [token] = await holdFromTokens(connection, [{ id: tokenId, amount, minimum }])
  if (token) return { isShort: wallet.remaining < 0 || token.remaining < 0 }
  await returnToWallets(connection, [demand])
  return { payer: 'token', found: await findTokenRemain(connection, tokenId), needed: minimum }
}

const returnToWallets = (connection: Connection, demands: readonly FundsDemand[]) =>
  updateUserBalances(
    connection,
    sumById(demands, getUserId).map(({ id, amount }) => ({
      userId: id,
      quota: amount,
      held: -amount,
      used: 0,
      requests: 0,
    })),
  )

const getUserId = (demand: FundsDemand): number => demand.userId
const getTokenId = (demand: FundsDemand): number => demand.tokenId ?? 0

const collectIds = (rows: readonly { readonly id: number }[]): ReadonlySet<number> =>
  new Set(rows.map(({ id }) => id))

/** Sums sorted by id, so that all processes lock rows in the same order. The full sum must be there. */
function sumById(demands: readonly FundsDemand[], getId: (demand: FundsDemand) => number) {
  const sums = new Map<number, number>()
  for (const demand of demands) sums.set(getId(demand), (sums.get(getId(demand)) ?? 0) + demand.amount)
  return [...sums].map(([id, amount]) => ({ id, amount, minimum: amount })).sort((a, b) => a.id - b.id)
}

/** What a request needs, and what the payer that lacks it has, in units. */
export interface Shortage {
  readonly payer: 'wallet' | 'token'
  readonly found: number
  readonly needed: number
}

/** A GatewayError `insufficient_user_quota` or `insufficient_token_quota`. */
export function insufficientFunds({ payer, found, needed }: Shortage, format: AmountFormat): GatewayError {
  // A balance below zero is one that a running request may need in full, or one that was overdrawn.
  const left = formatQuota(Math.max(found, 0), format)
  const least = formatQuota(needed, format)
  return payer === 'wallet'
    ? new GatewayError('insufficient_user_quota', {
        zh: `用户额度不足，剩余 ${left.zh}，需要 ${least.zh}`,
        en: `the account has ${left.en} left, the request needs ${least.en}`,
      })
    : new GatewayError('insufficient_token_quota', {
        zh: `令牌额度不足，剩余 ${left.zh}，需要 ${least.zh}`,
        en: `the token has ${left.en} left, the request needs ${least.en}`,
      })
}

/** Whether a command reserves money. Only such commands may be rejected. */
export const isOpenCommand = (command: LedgerCommand): command is OpenCommand =>
  command.kind === 'reserve' || command.kind === 'extend'
