import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '#console/app/api/call.ts'
import {
  type BudgetChange,
  type BudgetDraft,
  createBudget,
  deleteBudget,
  listBudgets,
  updateBudget,
} from '../contract.ts'

/** Whose budgets a sheet shows. */
export type ShownSubject = Pick<BudgetDraft, 'subject' | 'subject_id'>

/** Features that show the budgets of their subjects begin their keys with it, too. */
const KEY = listBudgets.path

export const budgetsQuery = (subject: ShownSubject) =>
  queryOptions({
    queryKey: [KEY, subject],
    queryFn: ({ signal }) => call(listBudgets, { query: subject, signal }),
  })

export function useBudgetChanges() {
  const client = useQueryClient()
  const onSuccess = () => client.invalidateQueries({ queryKey: [KEY] })
  return {
    create: useMutation({
      meta: { isQuiet: true },
      mutationFn: (body: BudgetDraft) => call(createBudget, { body }),
      onSuccess,
    }),
    update: useMutation({
      meta: { isQuiet: true },
      mutationFn: ({ id, change }: { readonly id: number; readonly change: BudgetChange }) =>
        call(updateBudget, { params: { id }, body: change }),
      onSuccess,
    }),
    remove: useMutation({
      mutationFn: (id: number) => call(deleteBudget, { params: { id } }),
      onSuccess,
    }),
  }
}
