import { type LucideIcon, Plus, SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../buttons/button.tsx'
import { EmptyState } from './empty-state.tsx'

interface NoneYetProps {
  readonly icon: LucideIcon
  readonly title: string
  readonly text: string
  /** What makes the first one. */
  readonly add: string
  readonly onAdd: () => void
  /** A snippet below. */
  readonly children?: ReactNode
}

/** What a list says before there is anything in it. */
export const NoneYet = ({ icon, title, text, add, onAdd, children }: NoneYetProps) => (
  <EmptyState
    icon={icon}
    title={title}
    text={text}
    action={
      <Button look="primary" icon={Plus} onClick={onAdd}>
        {add}
      </Button>
    }
  >
    {children}
  </EmptyState>
)

interface NoneFoundProps {
  readonly title: string
  readonly text?: string
  /** What takes the filters away. */
  readonly clear: string
  readonly onClear: () => void
}

/** What a list says when its filters leave nothing. */
export const NoneFound = ({ title, text, clear, onClear }: NoneFoundProps) => (
  <EmptyState icon={SearchX} title={title} text={text} action={<Button onClick={onClear}>{clear}</Button>} />
)
