import { inSnapshot } from '#server/db/billing/audit.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { Proof } from '#server/feature.ts'
import { readLife } from './life.ts'
import { findPlanDifferences, listLives } from './queries.ts'
import { owedIn } from './term.ts'

const LINES_MAX = 100

/** The part of plans in `tollgate verify`: what was paid is earned or owed, in the postings as in the subscriptions. */
export function verifyPlans(db: Database): Promise<Proof> {
  return inSnapshot(db, async tx => {
    const owed = (await listLives(tx))
      .map(row => ({
        balance: `subscriptions.owed of ${row.id}`,
        owner: row.user_id,
        found: row.owed,
        expected: owedIn(readLife(row).term) as number,
      }))
      .filter(({ found, expected }) => found !== expected)
    const differences = [...(await findPlanDifferences(tx)), ...owed]
    return {
      drift: differences.reduce((sum, { found, expected }) => sum + Math.abs(found - expected), 0),
      lines: differences
        .slice(0, LINES_MAX)
        .map(
          ({ balance, owner, found, expected }) =>
            `${balance}, user ${owner}: is ${found}, must be ${expected}`,
        ),
    }
  })
}
