import type { Database } from '#server/db/engine/database.ts'
import { withoutNul } from '#server/db/engine/text.ts'
import type { TaskRow } from '#server/db/system/tasks.ts'

/** The newest task with this provider id, of any user. */
export const findTaskByProviderId = (
  db: Database,
  platform: string,
  taskId: string,
): Promise<TaskRow | undefined> =>
  db
    .selectFrom('tasks')
    .selectAll()
    .where('platform', '=', platform)
    .where('task_id', '=', withoutNul(taskId))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

export const findTaskByRequest = (db: Database, requestId: string): Promise<TaskRow | undefined> =>
  db.selectFrom('tasks').selectAll().where('request_id', '=', requestId).executeTakeFirst()
