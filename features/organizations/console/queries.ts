import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '#console/app/api/call.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import {
  type Budget,
  BudgetDraft,
  createBudget,
  deleteBudget,
  findMonthlyCap,
  listBudgets,
  updateBudget,
} from '#features/budgets/contract.ts'
import {
  addMembers,
  createMemberToken,
  listMembers,
  removeMember,
  replaceInvitation,
  updateMember,
} from '../contract/members.ts'
import {
  createOrganization,
  deleteOrganization,
  getOrganization,
  joinOrganization,
  leaveOrganization,
  listOwnOrganizations,
  readInvitation,
  renameOrganization,
} from '../contract/organizations.ts'
import { createProject, createProjectToken, listProjects, updateProject } from '../contract/projects.ts'

const KEY = 'organizations'
/** Keys of budgets begin like those of the sections that change them. */
const BUDGETS_KEY = listBudgets.path
const OWN_STALE_MS = 10 * 60_000

/** Those in which the reader is a member, and whether the reader may create one. */
export const ownOrganizationsQuery = queryOptions({
  queryKey: [KEY, 'own'],
  queryFn: ({ signal }) => call(listOwnOrganizations, { signal }),
  staleTime: OWN_STALE_MS,
})

export const organizationQuery = queryOptions({
  queryKey: [KEY, 'acting'],
  queryFn: ({ signal }) => call(getOrganization, { signal }),
})

export const invitationQuery = (invitation: string) =>
  queryOptions({
    queryKey: [KEY, 'invitation', invitation],
    queryFn: ({ signal }) => call(readInvitation, { body: { invitation }, signal }),
  })

/** `page` counts from 1. */
export const membersQuery = (keyword: string, page: number, size: number) =>
  queryOptions({
    queryKey: [KEY, 'members', keyword, page, size],
    queryFn: ({ signal }) => call(listMembers, { query: { keyword, p: page, page_size: size }, signal }),
    placeholderData: keepPreviousData,
  })

/** `page` counts from 1. */
export const projectsQuery = (page: number, size: number) =>
  queryOptions({
    queryKey: [KEY, 'projects', page, size],
    queryFn: ({ signal }) => call(listProjects, { query: { p: page, page_size: size }, signal }),
    placeholderData: keepPreviousData,
  })

/** Whose monthly cap it is. */
export interface CapSubject {
  readonly subject: 'member' | 'project'
  readonly subject_id: number
}

/** The monthly cap that a form changes, null without one. Other budgets are in a section of their own. */
export const capQuery = (of: CapSubject) =>
  queryOptions({
    queryKey: [BUDGETS_KEY, 'cap', of],
    queryFn: async ({ signal }) => findMonthlyCap(await call(listBudgets, { query: of, signal })) ?? null,
  })

/** The budgets of the rows of a list. */
export const budgetsOfRowsQuery = (subject: CapSubject['subject'], ids: readonly number[]) =>
  queryOptions({
    queryKey: [BUDGETS_KEY, 'rows', subject, ids],
    queryFn: ({ signal }) => call(listBudgets, { query: { subject, subject_ids: ids.join(',') }, signal }),
    enabled: ids.length > 0,
  })

/** Sets the monthly cap; 0 removes it. */
async function putCap(of: CapSubject, cap: Budget | null, amount: number): Promise<void> {
  if (amount === (cap?.amount ?? 0)) return
  if (!cap) await call(createBudget, { body: BudgetDraft.parse({ ...of, amount }) })
  else if (amount === 0) await call(deleteBudget, { params: { id: cap.id } })
  else await call(updateBudget, { params: { id: cap.id }, body: { amount } })
}

interface CapChange {
  readonly cap: Budget | null
  /** Quota units; 0: none. */
  readonly amount: number
}

const isQuiet = { isQuiet: true }

function useOnSettled() {
  const client = useQueryClient()
  return () => Promise.all([KEY, BUDGETS_KEY].map(key => client.invalidateQueries({ queryKey: [key] })))
}

/** What concerns the reader and the organisation as a whole. */
export function useOrganizationChanges() {
  const onSettled = useOnSettled()
  return {
    create: useMutation({
      meta: isQuiet,
      mutationFn: (name: string) => call(createOrganization, { body: { name } }),
      onSettled,
    }),
    join: useMutation({
      meta: isQuiet,
      mutationFn: (invitation: string) => call(joinOrganization, { body: { invitation } }),
      onSettled,
    }),
    rename: useMutation({
      mutationFn: (name: string) => call(renameOrganization, { body: { name } }),
      onSettled,
    }),
    leave: useMutation({ mutationFn: () => call(leaveOrganization, {}) }),
    remove: useMutation({ mutationFn: () => call(deleteOrganization, {}) }),
  }
}

type MemberChange = BodyOf<typeof updateMember> & CapChange & { readonly id: number }

export function useMemberChanges() {
  const onSettled = useOnSettled()
  return {
    add: useMutation({
      meta: isQuiet,
      mutationFn: (body: BodyOf<typeof addMembers>) => call(addMembers, { body }),
      onSettled,
    }),
    update: useMutation({
      meta: isQuiet,
      mutationFn: async ({ id, cap, amount, ...body }: MemberChange) => {
        await call(updateMember, { params: { id }, body })
        await putCap({ subject: 'member', subject_id: id }, cap, amount)
      },
      onSettled,
    }),
    remove: useMutation({
      mutationFn: (id: number) => call(removeMember, { params: { id } }),
      onSettled,
    }),
    invite: useMutation({
      mutationFn: (id: number) => call(replaceInvitation, { params: { id } }),
      onSettled,
    }),
    createKey: useMutation({
      mutationFn: ({ id, name }: { readonly id: number; readonly name: string }) =>
        call(createMemberToken, { params: { id }, body: { name } }),
      onSettled,
    }),
  }
}

interface ProjectChange extends CapChange {
  /** Undefined: a new one. */
  readonly id: number | undefined
  readonly name: string
  /** Unix seconds; 0: never. */
  readonly ends_time: number
}

export function useProjectChanges() {
  const onSettled = useOnSettled()
  return {
    save: useMutation({
      meta: isQuiet,
      mutationFn: async ({ id, cap, amount, ...body }: ProjectChange) => {
        if (id !== undefined) await call(updateProject, { params: { id }, body })
        const subjectId = id ?? (await call(createProject, { body })).id
        await putCap({ subject: 'project', subject_id: subjectId }, cap, amount)
      },
      onSettled,
    }),
    close: useMutation({
      mutationFn: ({ id, isClosed }: { readonly id: number; readonly isClosed: boolean }) =>
        call(updateProject, { params: { id }, body: { is_closed: isClosed } }),
      onSettled,
    }),
    createKey: useMutation({
      mutationFn: ({ id, name }: { readonly id: number; readonly name: string }) =>
        call(createProjectToken, { params: { id }, body: { name, member_id: 0 } }),
      onSettled,
    }),
  }
}
