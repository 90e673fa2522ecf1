import type { Database } from '#server/db/engine/database.ts'
import {
  type ChargedUse,
  type ChargedUseKey,
  type ChargedUseQuery,
  listTaggedUse,
  listUse,
} from './queries.ts'

const keyOf = ({ userId, tokenId, provider, model }: ChargedUseKey): string =>
  [userId, tokenId, provider ?? '', model].join('\0')

/**
 * What was charged in a day: a row for each set of tags, and one for what has none. Tags are those of log rows, which may be
 * deleted or off; the sums are not, so that all rows together are the ledger's.
 */
export async function listDay(
  db: Database,
  query: ChargedUseQuery,
  { hasTags }: { readonly hasTags: boolean },
): Promise<ChargedUse[]> {
  const all = await listUse(db, query)
  if (!hasTags || all.length === 0) return all
  const tagged = Map.groupBy(await listTaggedUse(db, query), keyOf)
  return all.flatMap(total => {
    const parts = tagged.get(keyOf(total)) ?? []
    const rest = parts.reduce(subtract, total)
    return rest.requests === 0 && rest.quota === 0 ? parts : [...parts, rest]
  })
}

const subtract = (total: ChargedUse, part: ChargedUse): ChargedUse => ({
  ...total,
  quota: total.quota - part.quota,
  requests: total.requests - part.requests,
  tokens: total.tokens - part.tokens,
})
