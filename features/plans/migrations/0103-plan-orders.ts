import { sql } from 'kysely'
import type { Migration } from '#server/db/migrations/migration.ts'

/** Purchases that wait for a top-up. */
export const planOrders: Migration = {
  name: '0103-plan-orders',
  async up(db) {
    await sql`create table plan_orders (user_id bigint primary key, plan_id bigint not null, created_at bigint not null)`.execute(
      db,
    )
  },
}
