import type { Redemption } from '#contract/redemptions.ts'

export interface CodeSheetProps {
  /** The id of the code, or `new`. */
  readonly edit: string
  readonly rows: readonly Redemption[]
  readonly onOpen: (edit: string) => void
  readonly onClose: (leavesForm?: boolean) => void
  readonly onCreated: (made: { readonly name: string; readonly codes: readonly string[] }) => void
}
