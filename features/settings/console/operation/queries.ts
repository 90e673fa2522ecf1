import { queryOptions } from '@tanstack/react-query'
import { call } from '#console/app/api/call.ts'
import { deleteLogs, getLogDeletion } from '#features/logs/contract/log-deletion.ts'

const POLL_MS = 1000

/** Progress of the log cleanup, polled while it runs. */
export const logDeletionQuery = queryOptions({
  queryKey: ['log-deletion'],
  queryFn: ({ signal }) => call(getLogDeletion, { signal }),
  refetchInterval: query => (query.state.data?.is_running ? POLL_MS : false),
  staleTime: 0,
})

/** Starts deleting log rows in the background. */
export const startLogDeletion = (beforeSeconds: number) =>
  call(deleteLogs, { query: { target_timestamp: beforeSeconds, background: true } })
