import { z } from 'zod'
import { endpoint } from '#contract/endpoint.ts'
import { QueryFlag, QueryNumber } from '#contract/fields.ts'

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
  reply: z.number().meta({ description: 'Number of deleted rows; 0 in the background.', example: 120_000 }),
})

export const LogDeletionProgress = z
  .object({
    is_running: z.boolean().meta({ description: 'Whether a deletion is in progress.', example: false }),
    target_timestamp: z.number().meta({
      description: 'Rows older than this time (Unix seconds) are deleted; 0: never started.',
      example: 1_750_000_000,
    }),
    total: z.number().meta({ description: 'Estimated number of rows to delete.', example: 120_000 }),
    deleted: z.number().meta({ description: 'Rows deleted so far.', example: 120_000 }),
    has_failed: z.boolean().meta({
      description: 'Whether it ended early; rows deleted by then stay deleted.',
      example: false,
    }),
    started_at: z.number().meta({ description: 'Unix seconds; 0: never started.', example: 1_760_000_000 }),
    finished_at: z.number().meta({ description: 'Unix seconds; 0: not finished.', example: 1_760_000_090 }),
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
