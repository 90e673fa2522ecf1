import { z } from 'zod'
import { endpoint } from '#contract/endpoint.ts'
import { flagField, numberField, QueryFlag, QueryNumber } from '#contract/fields.ts'

export const deleteLogs = endpoint({
  method: 'DELETE',
  path: '/api/log/',
  role: 'root',
  summary: 'Delete old log rows',
  description: 'At most one deletion runs at a time.',
  query: z.object({
    target_timestamp: QueryNumber.meta({
      description: 'Rows older than this time (Unix seconds) are deleted.',
      example: 1_750_000_000,
    }),
    background: QueryFlag.meta({
      description: 'Returns 0 at once; the progress is reported by `/api/log/deletion`.',
      example: true,
    }),
  }),
  reply: numberField('Number of deleted rows; 0 in the background.', 120_000),
})

export const LogDeletionProgress = z
  .object({
    is_running: flagField('Whether a deletion is in progress.', false),
    target_timestamp: numberField(
      'Rows older than this time (Unix seconds) are deleted; 0: never started.',
      1_750_000_000,
    ),
    total: numberField('Estimated number of rows to delete.', 120_000),
    deleted: numberField('Rows deleted so far.', 120_000),
    has_failed: flagField('Whether it ended early; rows deleted by then stay deleted.', false),
    started_at: numberField('Unix seconds; 0: never started.', 1_760_000_000),
    finished_at: numberField('Unix seconds; 0: not finished.', 1_760_000_090),
  })
  .meta({ id: 'LogDeletionProgress', description: 'Progress of the last deletion of old log rows.' })
export type LogDeletionProgress = z.infer<typeof LogDeletionProgress>

export const getLogDeletion = endpoint({
  method: 'GET',
  path: '/api/log/deletion',
  role: 'root',
  summary: 'Get the progress of deleting old log rows',
  reply: LogDeletionProgress,
})
