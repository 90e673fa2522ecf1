import type { Migration } from './migration.ts'

const TABLES = ['minutes', 'hours', 'days', 'gateway_hours', 'gateway_days'] as const

/** Which plan paid for the requests of a total. */
export const analyticsPlans: Migration = {
  name: '0111-analytics-plans',
  async up(db) {
    for (const table of TABLES)
      await db.schema
        .alterTable(`analytics_${table}`)
        .addColumn('plan', 'text', column => column.notNull().defaultTo(''))
        .execute()
  },
}
