import { SearchX } from 'lucide-react'
import { Button } from './button.tsx'
import { EmptyState } from './empty-state.tsx'

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
