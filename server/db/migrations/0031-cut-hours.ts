import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/**
 * Hours of analytics are cut where days begin in zones of half and quarter hours. A part that an older version began has other
 * rows under the same ids, so it is written anew.
 */
export const cutHours: Migration = {
  name: '0031-cut-hours',
  async up(db) {
    for (const table of ['analytics_hours', 'analytics_gateway_hours'])
      await sql`delete from ${sql.table(table)} where id >= (select part * 1000000 from analytics_cursors
        where name = 'hours') and exists (select 1 from analytics_cursors where name = 'hours' and next > done)`.execute(
        db,
      )
  },
}
