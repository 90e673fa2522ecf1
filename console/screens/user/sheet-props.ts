import type { User } from '#contract/users.ts'

export interface UserSheetProps {
  readonly user: User
  readonly rows: readonly User[]
}
