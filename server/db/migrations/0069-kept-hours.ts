import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** Says until when hours of analytics by user were deleted, and finds those over all users by their id. */
export const keptHours: Migration = {
  name: '0069-kept-hours',
  async up(db) {
    await sql`insert into roll_ups select 'analytics_hours', time - time % 86400 + 86400
      from (select coalesce((select min(hour) from analytics_hours), (select max(day) from analytics_days)) as time)
        as kept where time is not null`.execute(db)
    await sql`create index analytics_gateway_hours_parts on analytics_gateway_hours (id)`.execute(db)
  },
}
