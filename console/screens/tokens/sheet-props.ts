import type { Token } from '#contract/tokens.ts'

export interface TokenSheetProps {
  /** The id of the token, or `new`. */
  readonly edit: string
  /** The id of the token whose settings a new one starts with. */
  readonly from: string
  readonly rows: readonly Token[]
  readonly onOpen: (edit: string) => void
  readonly onClose: (leavesForm?: boolean) => void
  readonly onCreated: (tokens: readonly Token[]) => void
}
