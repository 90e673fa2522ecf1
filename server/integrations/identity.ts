import { apiErrors } from '../core/api-error.ts'

/** Who somebody is at another party. */
export interface Identity {
  /** Stays with the person for good. */
  readonly id: string
  /** What an earlier version of this gateway's lineage kept instead of the id; it may have changed hands since. */
  readonly formerId?: string
  /** For display; empty when the party tells none. */
  readonly name: string
  /** An address that the party has verified; empty for none. */
  readonly email: string
}

export const refuseIdentity = apiErrors('identity', {
  code_wrong: {
    zh: '{party} 授权码错误或已过期，请重试',
    en: 'the code of {party} is wrong or has expired, try again',
  },
  declined: { zh: '{party} 拒绝了授权：{reason}', en: '{party} declined: {reason}' },
  unsigned: { zh: '{party} 登录信息校验失败', en: 'what {party} is said to have signed, it has not' },
  stale: { zh: '{party} 登录信息已过期，请重试', en: 'the sign-in of {party} is too old, try again' },
})
