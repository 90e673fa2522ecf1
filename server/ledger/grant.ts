import { GatewayError } from '../core/errors.ts'
import {
  findFreeQuota,
  findTokenRemain,
  holdFromTokens,
  holdFromWallets,
  moveUserBalances,
} from '../db/balances.ts'
import type { Session } from '../db/session.ts'

/** An amount wanted from a wallet and, where `tokenId` is set, from that token's limit too. */
export interface Demand {
  readonly userId: number
  readonly tokenId: number | null
  readonly amount: number
}

/**
 * Takes each demand from wallet and token, both or none; gives the refused ones with the reason.
 * Demands on one wallet are first tried as one sum. Only when the sum is too much are they tried one by one, in order.
 * A demand of 0 is granted whatever the balance.
 */
export async function grant<Wanted extends Demand>(
  session: Session,
  demands: readonly Wanted[],
): Promise<ReadonlyMap<Wanted, GatewayError>> {
  const priced = demands.filter(demand => demand.amount > 0)
  const poor = await takeTogether(session, priced)
  const refusals = new Map<Wanted, GatewayError>()
  for (const demand of poor) {
    const refusal = await takeAlone(session, demand)
    if (refusal) refusals.set(demand, refusal)
  }
  return refusals
}

/** Gives the demands whose wallet or token could not afford the sum; nothing was taken for those. */
async function takeTogether<Wanted extends Demand>(
  session: Session,
  demands: readonly Wanted[],
): Promise<readonly Wanted[]> {
  const paying = idsOf(await holdFromWallets(session, sumsBy(demands, userOf)))
  const poor = demands.filter(demand => !paying.has(userOf(demand)))
  const limited = demands.filter(demand => demand.tokenId !== null && paying.has(userOf(demand)))
  return limited.length === 0 ? poor : [...poor, ...(await takeFromTokens(session, limited))]
}

/** Gives the demands whose token could not afford the sum, with what their wallets had paid given back. */
async function takeFromTokens<Wanted extends Demand>(
  session: Session,
  demands: readonly Wanted[],
): Promise<readonly Wanted[]> {
  const able = idsOf(await holdFromTokens(session, sumsBy(demands, tokenOf)))
  const poor = demands.filter(demand => !able.has(tokenOf(demand)))
  await giveBack(session, poor)
  return poor
}

async function takeAlone(session: Session, demand: Demand): Promise<GatewayError | undefined> {
  const { userId, tokenId, amount } = demand
  const wallet = await holdFromWallets(session, [{ id: userId, amount }])
  if (wallet.length === 0) return walletRefusal(await findFreeQuota(session, userId), amount)
  if (tokenId === null) return undefined
  const token = await holdFromTokens(session, [{ id: tokenId, amount }])
  if (token.length > 0) return undefined
  await giveBack(session, [demand])
  return tokenRefusal(await findTokenRemain(session, tokenId), amount)
}

const giveBack = (session: Session, demands: readonly Demand[]) =>
  moveUserBalances(
    session,
    sumsBy(demands, userOf).map(({ id, amount }) => ({
      userId: id,
      quota: amount,
      held: -amount,
      used: 0,
      requests: 0,
    })),
  )

const idsOf = (rows: readonly { readonly id: number }[]): ReadonlySet<number> =>
  new Set(rows.map(row => row.id))
const userOf = (demand: Demand): number => demand.userId
const tokenOf = (demand: Demand): number => demand.tokenId ?? 0

function sumsBy(demands: readonly Demand[], idOf: (demand: Demand) => number) {
  const sums = new Map<number, number>()
  for (const demand of demands) sums.set(idOf(demand), (sums.get(idOf(demand)) ?? 0) + demand.amount)
  return [...sums].map(([id, amount]) => ({ id, amount })).sort((a, b) => a.id - b.id)
}

const walletRefusal = (found: number, needed: number) =>
  new GatewayError('insufficient_user_quota', `the account has ${found} units left, ${needed} are needed`)

const tokenRefusal = (found: number, needed: number) =>
  new GatewayError('insufficient_token_quota', `the token has ${found} units left, ${needed} are needed`)
