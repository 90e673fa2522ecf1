import { nowSeconds } from '#server/core/clock.ts'
import type { Database } from '#server/db/engine/database.ts'
import type { PlanRevenue } from '../contract/plans.ts'
import { dayAt, formatDay, startOf } from './days.ts'
import { listPlanDays, listRenewals, sumSubscriptions } from './queries.ts'

/** What plans brought in the last days, and what the next ones bring if all renew. */
export async function readRevenue(reader: Database, days: number, zone: string): Promise<PlanRevenue> {
  const today = dayAt(nowSeconds(), zone)
  const first = today - days + 1
  const earned = new Map((await listPlanDays(reader, first)).map(row => [row.day, row]))
  const renewals = new Map<string, { count: number; amount: number }>()
  for (const { endsAt, count, amount } of await listRenewals(reader, startOf(today + days + 1, zone))) {
    const day = formatDay(dayAt(endsAt, zone))
    const sum = renewals.get(day) ?? { count: 0, amount: 0 }
    renewals.set(day, { count: sum.count + count, amount: sum.amount + amount })
  }
  return {
    ...(await sumSubscriptions(reader)),
    days: Array.from({ length: days }, (_, index) => {
      const { paid = 0, earned: amount = 0 } = earned.get(first + index) ?? {}
      return { day: formatDay(first + index), paid, earned: amount }
    }),
    renewals: [...renewals].map(([day, sum]) => ({ day, ...sum })),
  }
}
