import { ListFilter } from 'lucide-react'
import { type ReactNode, Suspense, useState } from 'react'
import { Button } from '../button.tsx'
import { kitText } from '../kit-text.ts'
import { lazyPart } from '../lazy-part.ts'
import { useText } from '../text.ts'
import { PHONE, useMedia } from '../use-media.ts'

interface FilterBarProps {
  readonly search?: ReactNode
  /** The facets. On phones they stand in a drawer. */
  readonly children?: ReactNode
  /** How many filters besides the search are on. */
  readonly active: number
  readonly onClear: () => void
  /** At the right end: refresh, columns, export. */
  readonly tools?: ReactNode
}

const drawer = lazyPart(async () => (await import('./filter-drawer.tsx')).FilterDrawer)

/** Search, facets and tools of a list in one row. */
export function FilterBar({ search, children, active, onClear, tools }: FilterBarProps) {
  const t = useText(kitText)
  const isPhone = useMedia(PHONE)
  const [isOpen, setOpen] = useState(false)
  return (
    <search className="mb-3 flex min-h-9 flex-wrap items-center gap-2">
      {search}
      {!isPhone && children}
      {isPhone && children && (
        <Button icon={ListFilter} onClick={() => setOpen(true)}>
          {active > 0 ? t('filtersActive', { count: active }) : t('filters')}
        </Button>
      )}
      {!isPhone && active > 0 && (
        <Button look="ghost" onClick={onClear}>
          {t('clearAll')}
        </Button>
      )}
      {tools && <div className="ml-auto flex items-center gap-0.5 coarse:gap-3">{tools}</div>}
      {isOpen && (
        <Suspense fallback={null}>
          <drawer.Part onClose={() => setOpen(false)} onClear={onClear}>
            {children}
          </drawer.Part>
        </Suspense>
      )}
    </search>
  )
}
