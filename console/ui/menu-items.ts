import type { LucideIcon } from 'lucide-react'

export interface MenuAction {
  readonly label: string
  readonly icon?: LucideIcon
  readonly onSelect: () => void
  readonly shortcut?: string
  readonly isDanger?: boolean
  readonly isDisabled?: boolean
  /** For a choice among others: ticked or not. */
  readonly isChecked?: boolean
}

/** Groups are divided by a line. */
export type MenuItems = ReadonlyArray<readonly MenuAction[]>
