import { type LucideIcon, Plus, SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../buttons/button.tsx'
import { EmptyState } from './empty-state.tsx'

interface EmptyListProps {
  readonly icon: LucideIcon
  readonly title: string
  readonly text: string
  /** Label of the create button. */
  readonly add: string
  readonly onAdd: () => void
  /** Shown below, for example a snippet. */
  readonly children?: ReactNode
}

/** Empty state of a list without any records. */
export const EmptyList = ({ icon, title, text, add, onAdd, children }: EmptyListProps) => (
  <EmptyState
    icon={icon}
    title={title}
    text={text}
    action={
      <Button variant="primary" icon={Plus} onClick={onAdd}>
        {add}
      </Button>
    }
  >
    {children}
  </EmptyState>
)

interface NoResultsProps {
  readonly title: string
  readonly text?: string
  /** Label of the button that clears the filters. */
  readonly clear: string
  readonly onClear: () => void
}

/** Empty state of a list whose filters match nothing. */
export const NoResults = ({ title, text, clear, onClear }: NoResultsProps) => (
  <EmptyState icon={SearchX} title={title} text={text} action={<Button onClick={onClear}>{clear}</Button>} />
)
