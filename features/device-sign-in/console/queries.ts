import { queryOptions } from '@tanstack/react-query'
import { call } from '#console/app/api/call.ts'
import { listSelfGroups } from '#contract/models.ts'
import {
  approveDeviceSignIn,
  denyDeviceSignIn,
  findDeviceSignIn,
  toUserCode,
  USER_CODE_LENGTH,
} from '../contract.ts'

/** Whether the text may be a code, so that it is worth asking for. */
export const isUserCode = (text: string): boolean => toUserCode(text).length === USER_CODE_LENGTH

export const signInQuery = (code: string) =>
  queryOptions({
    queryKey: ['device', toUserCode(code)],
    queryFn: ({ signal }) => call(findDeviceSignIn, { body: { user_code: code }, signal }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })

export const groupsQuery = queryOptions({
  queryKey: ['groups'],
  queryFn: ({ signal }) => call(listSelfGroups, { signal }),
})

export interface Approval {
  readonly user_code: string
  readonly name: string
  readonly group: string
}

export const approve = (approval: Approval): Promise<undefined> =>
  call(approveDeviceSignIn, { body: approval })
export const deny = (user_code: string): Promise<undefined> => call(denyDeviceSignIn, { body: { user_code } })
