import type { ApiCaller } from '#server/api/context.ts'
import type { Database } from '#server/db/engine/database.ts'

/** Far above what a member creates in years. */
const TOKENS_MAX = 10_000

/** Whose rows the caller may see: a member's own tokens, deleted ones included. Undefined: all of the account. */
export async function findVisibleTokenIds(
  db: Database,
  { id, member }: Pick<ApiCaller, 'id' | 'member'>,
): Promise<readonly number[] | undefined> {
  if (!member || member.seesAll) return undefined
  const rows = await db
    .selectFrom('tokens')
    .select('id')
    .where('user_id', '=', id)
    .where('member_id', '=', member.id)
    .orderBy('id', 'desc')
    .limit(TOKENS_MAX)
    .execute()
  return rows.map(row => row.id)
}
