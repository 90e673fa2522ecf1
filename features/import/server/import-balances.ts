import { nowSeconds } from '#server/core/clock.ts'
import { IMPORT_KIND, insertPostings } from '#server/db/billing/postings.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { Account } from '#server/db/engine/ledger-tables.ts'

/** Balances that arrive with an account, a token or a channel of another gateway. Whole units; negative ones are debts. */
export interface ImportedBalances {
  /** 0 for a channel. */
  readonly userId: number
  readonly tokenId?: number
  readonly channelId?: number
  readonly wallet?: number
  readonly invitation?: number
  readonly tokenLimit?: number
  /** Quota consumed at the other gateway. */
  readonly usage?: number
  readonly requests?: number
}

const MOVES = [
  { member: 'wallet', from: 'issued', to: 'wallet' },
  { member: 'invitation', from: 'issued', to: 'invitation' },
  { member: 'tokenLimit', from: 'limits', to: 'token' },
  { member: 'usage', from: 'elsewhere', to: 'usage' },
  { member: 'requests', from: 'elsewhere', to: 'requests' },
] as const satisfies readonly {
  readonly member: keyof ImportedBalances
  readonly from: Account
  readonly to: Account
}[]

/**
 * Posts balances of another gateway, in the transaction that writes the same figures into the columns. `reason` names the
 * other gateway.
 */
export async function postImportedBalances(
  tx: Database,
  balances: readonly ImportedBalances[],
  reason: string,
): Promise<void> {
  const created_at = nowSeconds()
  const postings = balances.flatMap(balance =>
    MOVES.flatMap(({ member, from, to }) => {
      const amount = balance[member] ?? 0
      if (amount === 0) return []
      const [from_account, to_account] = amount > 0 ? ([from, to] as const) : ([to, from] as const)
      return [
        {
          kind: IMPORT_KIND,
          from_account,
          to_account,
          amount: Math.abs(amount),
          user_id: balance.userId,
          token_id: balance.tokenId ?? null,
          is_token_limited: 0,
          channel_id: balance.channelId ?? null,
          request_id: '',
          created_at,
          actor_id: 0,
          reason,
        },
      ]
    }),
  )
  await insertPostings(tx, postings)
}
