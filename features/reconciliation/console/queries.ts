import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call, callFile } from '#console/app/api/call.ts'
import type { BodyOf, DataOf } from '#contract/endpoint.ts'
import { readBalance } from '#features/channels/contract/channel-checks.ts'
import {
  createReconciliation,
  deleteReconciliation,
  exportReconciliation,
  getReconciliation,
  listBalanceReadings,
  listReconcilableChannels,
  listReconciliations,
  type Reconciliation,
  reconcileBalance,
} from '../contract.ts'

/** A large file takes a while to send and to read. */
const RECONCILE_MS_MAX = 120_000

export const channelsQuery = queryOptions({
  queryKey: ['detail', 'reconciliation', 'channels'],
  queryFn: ({ signal }) => call(listReconcilableChannels, { signal }),
})

export type BalanceReading = DataOf<typeof listBalanceReadings>[number]

/** The readings of the balance of a channel, newest first. */
export const readingsQuery = (channelId: number) =>
  queryOptions({
    queryKey: ['detail', 'balance-readings', channelId],
    queryFn: ({ signal }) => call(listBalanceReadings, { params: { id: channelId }, signal }),
    staleTime: 0,
  })

/** Asks the provider for the balance of a channel, which adds a reading. */
export function useReadBalance() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: number) => call(readBalance, { params: { id }, timeoutMs: RECONCILE_MS_MAX }),
    onSettled: (_data, _error, id) => client.invalidateQueries({ queryKey: readingsQuery(id).queryKey }),
  })
}

const HISTORY_KEY = ['detail', 'reconciliations'] as const

/** A page of reconciliations, newest first. */
export const historyQuery = (page: number, size: number) =>
  queryOptions({
    queryKey: [...HISTORY_KEY, page, size],
    queryFn: ({ signal }) => call(listReconciliations, { query: { p: page, page_size: size }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })

/** It never changes, but its sentences are in the language of the reader. */
export const reconciliationQuery = (id: number, language: string) =>
  queryOptions({
    queryKey: ['detail', 'reconciliation', id, language],
    queryFn: ({ signal }) => call(getReconciliation, { params: { id }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })

export type BillToCompare = BodyOf<typeof createReconciliation>
/** Bills, or readings of a balance. */
export type Comparable = BillToCompare | BodyOf<typeof reconcileBalance>

export function useReconcile(language: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: Comparable) =>
      'files' in body
        ? call(createReconciliation, { body, timeoutMs: RECONCILE_MS_MAX })
        : call(reconcileBalance, { body }),
    onSuccess: (made: Reconciliation) => {
      client.setQueryData(reconciliationQuery(made.id, language).queryKey, made)
      return client.invalidateQueries({ queryKey: HISTORY_KEY })
    },
    meta: { isQuiet: true },
  })
}

export function useDeleteReconciliation() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: number) => call(deleteReconciliation, { params: { id } }),
    onSettled: () => client.invalidateQueries({ queryKey: HISTORY_KEY }),
  })
}

export const fetchCsv = (id: number, by: 'model' | 'day'): Promise<Blob> =>
  callFile(exportReconciliation, { params: { id }, query: { by } })
