import { sql } from 'kysely'
import type { Database } from '../engine/database.ts'

const ROWS_AT_ONCE = 250_000

/** Inserts receipts of a usual length for the rows of `fillLogs`, with cached input, thoughts, and a tier on some. */
export async function fillReceipts(db: Database, rows: number): Promise<void> {
  for (let from = 1; from <= rows; from += ROWS_AT_ONCE)
    await sql`insert into receipts (log_id, body)
      select id, '{"ending":"complete","provenance":"' || case when type = 5 then 'free' else 'upstream' end
        || '","use_ms":' || (id % 30000) || ',"frt_ms":' || (id % 1500) || ',"model":{"requested":"' || model_name
        || '","upstream":"' || model_name || '"},"dialect":"openai","price":{"model_ratio":1.25,"completion_ratio":4,"cache_ratio":0.5,"create_cache_ratio":1.25,"group_ratio":1},"usage":{"input":'
        || prompt_tokens || ',"cachedInput":' || (id % 3000) || ',"output":' || completion_tokens || ',"reasoning":'
        || (id % 400) || '}' || case when id % 20 = 0 then ',"extra_usage":{"service_tier":"flex"}' else '' end
        || ',"lines":[{"bucket":"input","tokens":' || prompt_tokens || ',"ratio":1,"amount":"'
        || (prompt_tokens * 1.25) || '"},{"bucket":"cachedInput","tokens":' || (id % 3000) || ',"ratio":0.5,"amount":"'
        || (id % 3000 * 0.625) || '"},{"bucket":"output","tokens":' || completion_tokens || ',"ratio":4,"amount":"'
        || (completion_tokens * 5) || '"},{"bucket":"reasoning","tokens":' || (id % 400) || ',"ratio":4,"amount":"'
        || (id % 400 * 5) || '"}],"exact":"1234.5","hold":5000,"attempts":[{"channel_id":' || channel_id
        || ',"channel_name":"channel-' || channel_id || '","status":200,"ms":' || (id % 30000) || '}]}'
      from logs where id >= ${from} and id < ${from + ROWS_AT_ONCE} and id <= ${rows}`.execute(db)
}
