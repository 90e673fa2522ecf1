import { queryOptions, useMutation } from '@tanstack/react-query'
import { call } from '#console/app/api/call.ts'
import { getLatestRelease } from '#contract/options/options.ts'
import { createBackup, getBackups } from '#features/backups/contract.ts'
import { getDiskForecast } from '#features/doctor/contract.ts'

const POLL_MS = 1000

/** The server fetches the release, not the browser. */
export const useUpdateCheck = () =>
  useMutation({ meta: { isQuiet: true }, mutationFn: () => call(getLatestRelease, {}) })

/** The backups, polled while one is being made. */
export const backupsQuery = queryOptions({
  queryKey: ['backups'],
  queryFn: ({ signal }) => call(getBackups, { signal }),
  refetchInterval: query => (query.state.data?.is_running ? POLL_MS : false),
  staleTime: 0,
})

export const diskQuery = queryOptions({
  queryKey: ['disk'],
  queryFn: ({ signal }) => call(getDiskForecast, { signal }),
})

export const startBackup = () => call(createBackup, {})
