import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { QueryFlag, QueryNumber } from '../fields.ts'

export const deleteLogs = endpoint({
  method: 'DELETE',
  path: '/api/log/',
  role: 'root',
  summary: 'Deletes the rows older than the given time and answers how many; one run at a time',
  query: z.object({
    target_timestamp: QueryNumber,
    /** Answers 0 at once; the progress tells the rest. */
    background: QueryFlag,
  }),
  reply: z.number(),
})

/** How far deleting old rows is. Times are Unix seconds, 0 when there is none. */
export const LogDeletionProgress = z.object({
  is_running: z.boolean(),
  target_timestamp: z.number(),
  /** About how many rows there were to delete. */
  total: z.number(),
  deleted: z.number(),
  /** It ended before its time; what was deleted stays deleted. */
  has_failed: z.boolean(),
  started_at: z.number(),
  finished_at: z.number(),
})
export type LogDeletionProgress = z.infer<typeof LogDeletionProgress>

export const getLogDeletion = endpoint({
  method: 'GET',
  path: '/api/log/deletion',
  role: 'root',
  summary: 'How far the last deletion of old rows is',
  reply: LogDeletionProgress,
})
