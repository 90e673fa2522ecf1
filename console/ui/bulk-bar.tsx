import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from './icon-button.tsx'
import { kitText } from './kit-text.ts'
import { useText } from './text.ts'

interface BulkBarProps {
  readonly count: number
  readonly onClear: () => void
  readonly children: ReactNode
}

/** Stands in place of the filters while rows are selected. */
export function BulkBar({ count, onClear, children }: BulkBarProps) {
  const t = useText(kitText)
  return (
    <div className="mb-3 flex min-h-9 flex-wrap items-center gap-2 rounded-card bg-selected px-2 py-1 coarse:gap-y-3">
      <IconButton label={t('clearSelection')} icon={X} size="small" onClick={onClear} />
      <span role="status" className="mr-2 font-medium tabular">
        {t('selected', { count })}
      </span>
      {children}
    </div>
  )
}
