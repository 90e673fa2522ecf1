import {
  findFreeQuota,
  findTokenRemain,
  holdFromTokens,
  holdFromWallets,
  moveUserBalances,
} from '../db/balances.ts'
import type { Database } from '../db/database.ts'
import { GatewayError } from '../kernel/errors.ts'

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
export async function grant(
  tx: Database,
  demands: readonly Demand[],
): Promise<ReadonlyMap<Demand, GatewayError>> {
  const priced = demands.filter(demand => demand.amount > 0)
  const poor = await takeTogether(tx, priced)
  const refusals = new Map<Demand, GatewayError>()
  for (const demand of poor) {
    const refusal = await takeAlone(tx, demand)
    if (refusal) refusals.set(demand, refusal)
  }
  return refusals
}

/** Gives the demands whose wallet or token could not afford the sum; nothing was taken for those. */
async function takeTogether(tx: Database, demands: readonly Demand[]): Promise<readonly Demand[]> {
  const paying = idsOf(
    await holdFromWallets(
      tx,
      sumsBy(demands, demand => demand.userId),
    ),
  )
  const paid = demands.filter(demand => paying.has(demand.userId))
  const limited = paid.filter(demand => demand.tokenId !== null)
  const able = idsOf(await holdFromTokens(tx, sumsBy(limited, tokenOf)))
  const returned = limited.filter(demand => !able.has(tokenOf(demand)))
  await giveBack(tx, returned)
  const refused = new Set(returned)
  return demands.filter(demand => !paying.has(demand.userId) || refused.has(demand))
}

async function takeAlone(tx: Database, demand: Demand): Promise<GatewayError | undefined> {
  const { userId, tokenId, amount } = demand
  const wallet = await holdFromWallets(tx, [{ id: userId, amount }])
  if (wallet.length === 0) return walletRefusal(await findFreeQuota(tx, userId), amount)
  if (tokenId === null) return undefined
  const token = await holdFromTokens(tx, [{ id: tokenId, amount }])
  if (token.length > 0) return undefined
  await giveBack(tx, [demand])
  return tokenRefusal(await findTokenRemain(tx, tokenId), amount)
}

const giveBack = (tx: Database, demands: readonly Demand[]) =>
  moveUserBalances(
    tx,
    sumsBy(demands, demand => demand.userId).map(({ id, amount }) => ({
      userId: id,
      quota: amount,
      held: -amount,
      used: 0,
      requests: 0,
    })),
  )

const idsOf = (rows: readonly { readonly id: number }[]): ReadonlySet<number> =>
  new Set(rows.map(row => row.id))
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
