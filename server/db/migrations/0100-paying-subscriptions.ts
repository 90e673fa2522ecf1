import type { Migration } from './migration.ts'

/** The row of a hold says that a subscription pays, since any process may close it. */
export const payingSubscriptions: Migration = {
  name: '0100-paying-subscriptions',
  async up(db) {
    await db.schema.alterTable('holds').addColumn('paid_by', 'bigint').execute()
  },
}
