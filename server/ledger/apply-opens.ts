import { GatewayError } from '../core/errors.ts'
import {
  findFreeQuota,
  findTokenRemain,
  holdFromTokens,
  holdFromWallets,
  updateUserBalances,
} from '../db/billing/balances.ts'
import { addToHoldAmount, countOpenHolds, type HoldRow, insertHolds } from '../db/billing/holds.ts'
import type { Connection } from '../db/engine/database.ts'
import type { LedgerBatch } from './ledger-batch.ts'
import { type ExtendCommand, type LedgerCommand, opensFunds, type ReserveCommand } from './ledger-command.ts'

/** Why a movement was not done. What is not in here was done. */
export type Rejections = ReadonlyMap<LedgerCommand, GatewayError | 'closed'>

interface OpenInput {
  readonly movements: readonly LedgerCommand[]
  readonly entries: LedgerBatch
  readonly processId: string
  readonly nowSeconds: number
}

/** Reserves and extends. A refused one changes nothing and stands in the way of no other. */
export async function applyOpens(session: Connection, opening: OpenInput): Promise<Rejections> {
  const asked = opening.movements.filter(opensFunds)
  const refusals = new Map<LedgerCommand, GatewayError | 'closed'>([
    ...(await extendHolds(session, asked)),
    ...(await findOverLimit(session, asked.filter(isReserve))),
  ])
  const demands = asked.filter(movement => !refusals.has(movement)).map(toDemand)
  const refused = await holdFunds(session, demands)
  for (const [{ movement }, refusal] of refused) {
    refusals.set(movement, refusal)
    if (movement.kind === 'extend') await addToHoldAmount(session, movement.hold.requestId, -movement.by)
  }
  const granted = refused.size === 0 ? demands : demands.filter(demand => !refused.has(demand))
  const opened = postOpens(granted, opening.entries)
  await insertHolds(session, opened, [opening.processId, opening.nowSeconds])
  return refusals
}

/** Posts what was granted; gives the rows of the holds that are new. */
function postOpens(granted: readonly OpenDemand[], entries: LedgerBatch): readonly HoldRow[] {
  const opened: HoldRow[] = []
  for (const { movement, amount } of granted) {
    const row = toHoldRow(movement)
    if (movement.kind === 'reserve') opened.push(row)
    if (amount > 0) entries.post(row, movement.kind === 'reserve' ? 'hold' : 'extension', amount)
  }
  return opened
}

/** Grows the rows of the holds to extend before their money is there; gives those found closed. */
async function extendHolds(
  session: Connection,
  asked: readonly (ReserveCommand | ExtendCommand)[],
): Promise<Map<LedgerCommand, 'closed'>> {
  const closed = new Map<LedgerCommand, 'closed'>()
  for (const movement of asked) {
    if (movement.kind !== 'extend') continue
    const { requestId } = movement.hold
    if (!(await addToHoldAmount(session, requestId, movement.by))) closed.set(movement, 'closed')
  }
  return closed
}

interface OpenDemand extends FundsDemand {
  readonly movement: ReserveCommand | ExtendCommand
}

const isReserve = (movement: LedgerCommand): movement is ReserveCommand => movement.kind === 'reserve'

const toDemand = (movement: ReserveCommand | ExtendCommand): OpenDemand => ({
  movement,
  userId: movement.hold.userId,
  tokenId: movement.hold.isTokenLimited ? movement.hold.tokenId : null,
  amount: movement.kind === 'reserve' ? movement.hold.amount : movement.by,
})

const toHoldRow = ({ hold }: ReserveCommand | ExtendCommand): HoldRow => ({
  request_id: hold.requestId,
  user_id: hold.userId,
  token_id: hold.tokenId,
  is_token_limited: hold.isTokenLimited ? 1 : 0,
  amount: hold.amount,
})

type LimitScope = 'user' | 'token'

/** Nobody knows when a request under way ends. */
const RETRY_AFTER_SECONDS = 1
const NONE: ReadonlyMap<ReserveCommand, GatewayError> = new Map()

/**
 * The reserves that would leave a user or a token with more open holds than its limit, and why. Every process opens
 * holds under the lock of their user, so that no two of them count the same free place.
 */
async function findOverLimit(
  session: Connection,
  reserves: readonly ReserveCommand[],
): Promise<ReadonlyMap<ReserveCommand, GatewayError>> {
  const limited = reserves.filter(({ hold }) => hold.limits)
  if (limited.length === 0) return NONE
  const open = await countOpenHoldsByScope(session, limited)
  const crowded = new Map<ReserveCommand, GatewayError>()
  for (const reserve of limited) {
    const { limits = { user: 0, token: 0 } } = reserve.hold
    const places = listScopes(reserve)
    const full = places.find(({ of, name }) => limits[of] > 0 && (open.get(name) ?? 0) >= limits[of])
    if (full) crowded.set(reserve, tooManyRequests(full.of, limits[full.of]))
    else for (const { name } of places) open.set(name, (open.get(name) ?? 0) + 1)
  }
  return crowded
}

/** Open holds by user and by token. */
async function countOpenHoldsByScope(
  session: Connection,
  reserves: readonly ReserveCommand[],
): Promise<Map<string, number>> {
  const open = new Map<string, number>()
  const users = new Set(reserves.map(({ hold }) => hold.userId))
  for (const row of await countOpenHolds(session, [...users]))
    for (const name of [`user ${row.user_id}`, `token ${row.token_id}`])
      open.set(name, (open.get(name) ?? 0) + row.open)
  return open
}

/** What an open hold of this request takes a place of. */
function listScopes({ hold }: ReserveCommand): readonly { readonly of: LimitScope; readonly name: string }[] {
  const ofUser = { of: 'user', name: `user ${hold.userId}` } as const
  return hold.tokenId === null ? [ofUser] : [{ of: 'token', name: `token ${hold.tokenId}` }, ofUser]
}

const tooManyRequests = (of: LimitScope, limit: number): GatewayError =>
  new GatewayError(
    'too_many_requests',
    `${limit} requests under way at once are the limit of the ${of}, try again when one has ended`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  )

/** An amount wanted from a wallet and, where `tokenId` is set, from that token's limit too. */
interface FundsDemand {
  readonly userId: number
  readonly tokenId: number | null
  readonly amount: number
}

/**
 * Takes each demand from wallet and token, both or none; gives the refused ones with the reason.
 * Demands on one wallet are first tried as one sum. Only when the sum is too much are they tried one by one, in order.
 * A demand of 0 is granted whatever the balance.
 */
async function holdFunds<Wanted extends FundsDemand>(
  session: Connection,
  demands: readonly Wanted[],
): Promise<ReadonlyMap<Wanted, GatewayError>> {
  const priced = demands.filter(demand => demand.amount > 0)
  const poor = await holdSums(session, priced)
  const refusals = new Map<Wanted, GatewayError>()
  for (const demand of poor) {
    const refusal = await holdOne(session, demand)
    if (refusal) refusals.set(demand, refusal)
  }
  return refusals
}

/** Gives the demands whose wallet or token could not afford the sum; nothing was taken for those. */
async function holdSums<Wanted extends FundsDemand>(
  session: Connection,
  demands: readonly Wanted[],
): Promise<readonly Wanted[]> {
  const paying = collectIds(await holdFromWallets(session, sumById(demands, getUserId)))
  const poor = demands.filter(demand => !paying.has(getUserId(demand)))
  const limited = demands.filter(demand => demand.tokenId !== null && paying.has(getUserId(demand)))
  return limited.length === 0 ? poor : [...poor, ...(await holdTokenSums(session, limited))]
}

/** Gives the demands whose token could not afford the sum, with what their wallets had paid given back. */
async function holdTokenSums<Wanted extends FundsDemand>(
  session: Connection,
  demands: readonly Wanted[],
): Promise<readonly Wanted[]> {
  const able = collectIds(await holdFromTokens(session, sumById(demands, getTokenId)))
  const poor = demands.filter(demand => !able.has(getTokenId(demand)))
  await returnToWallets(session, poor)
  return poor
}

async function holdOne(session: Connection, demand: FundsDemand): Promise<GatewayError | undefined> {
  const { userId, tokenId, amount } = demand
  const wallet = await holdFromWallets(session, [{ id: userId, amount }])
  if (wallet.length === 0) return insufficientWallet(await findFreeQuota(session, userId), amount)
  if (tokenId === null) return undefined
  const token = await holdFromTokens(session, [{ id: tokenId, amount }])
  if (token.length > 0) return undefined
  await returnToWallets(session, [demand])
  return insufficientToken(await findTokenRemain(session, tokenId), amount)
}

const returnToWallets = (session: Connection, demands: readonly FundsDemand[]) =>
  updateUserBalances(
    session,
    sumById(demands, getUserId).map(({ id, amount }) => ({
      userId: id,
      quota: amount,
      held: -amount,
      used: 0,
      requests: 0,
    })),
  )

const collectIds = (rows: readonly { readonly id: number }[]): ReadonlySet<number> =>
  new Set(rows.map(row => row.id))
const getUserId = (demand: FundsDemand): number => demand.userId
const getTokenId = (demand: FundsDemand): number => demand.tokenId ?? 0

function sumById(demands: readonly FundsDemand[], idOf: (demand: FundsDemand) => number) {
  const sums = new Map<number, number>()
  for (const demand of demands) sums.set(idOf(demand), (sums.get(idOf(demand)) ?? 0) + demand.amount)
  return [...sums].map(([id, amount]) => ({ id, amount })).sort((a, b) => a.id - b.id)
}

const insufficientWallet = (found: number, needed: number) =>
  new GatewayError('insufficient_user_quota', `the account has ${found} units left, ${needed} are needed`)

const insufficientToken = (found: number, needed: number) =>
  new GatewayError('insufficient_token_quota', `the token has ${found} units left, ${needed} are needed`)
