import type { Insertable } from 'kysely'
import { newRequestId } from '../core/ids.ts'
import type { Database } from '../db/engine/database.ts'
import type { TaskTable } from '../db/engine/tables.ts'

/** Inserts a finished drawing task of user 1 on channel 1. `columns` override the defaults. Returns its id. */
export async function insertTask(
  db: Database,
  columns: Partial<Insertable<TaskTable>> = {},
): Promise<number> {
  const requestId = newRequestId()
  const { id } = await db
    .insertInto('tasks')
    .values({
      request_id: requestId,
      platform: 'mj',
      task_id: requestId,
      user_id: 1,
      channel_id: 1,
      action: 'IMAGINE',
      mode: '',
      code: 1,
      prompt: 'a lighthouse',
      outcome: 'succeeded',
      status: 'SUCCESS',
      progress: '100%',
      fail_reason: '',
      detail: '{}',
      quota: 50_000,
      bill: '{}',
      created_at_ms: 1000,
      updated_at_ms: 1000,
      submit_time_ms: 1000,
      start_time_ms: 2000,
      finish_time_ms: 3000,
      due_ms: null,
      ...columns,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}
