import { ListFilter, RotateCw, Search, X } from 'lucide-react'
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { Button, IconButton } from '../../buttons/button.tsx'
import { inputClasses } from '../../class-names.ts'
import { lazyPart } from '../../lazy-part.ts'
import { useKitText } from '../../text/kit-text.ts'
import { PHONE, useMedia } from '../../use-media.ts'

interface FilterBarProps {
  readonly search?: ReactNode
  /** The facets. On phones they move into a drawer. */
  readonly children?: ReactNode
  /** Number of active filters, without the search. */
  readonly active: number
  readonly onClear: () => void
  /** Shown at the end: refresh, columns, export. */
  readonly tools?: ReactNode
}

const drawer = lazyPart(async () => (await import('./filter-drawer.tsx')).FilterDrawer)

/** Search, facets and tools of a list. */
export function FilterBar({ search, children, active, onClear, tools }: FilterBarProps) {
  const t = useKitText()
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

const TYPING_PAUSE_MS = 300

interface SearchBoxProps {
  readonly label: string
  /** The applied search text. */
  readonly value: string
  /** Called after Enter, blur or a pause of 300 ms, never during an IME composition. */
  readonly onSearch: (value: string) => void
  readonly isMono?: boolean
  readonly className?: string
  /** The shortcut `/` focuses it. */
  readonly isMain?: boolean
}

export function SearchBox({
  label,
  value,
  onSearch,
  isMono = false,
  className = 'w-full sm:w-44 lg:w-60',
  isMain = false,
}: SearchBoxProps) {
  const t = useKitText()
  const [typed, setTyped] = useState(value)
  const [applied, setApplied] = useState(value)
  const composing = useRef(false)
  if (value !== applied) {
    setApplied(value)
    setTyped(value)
  }
  useEffect(() => {
    if (typed.trim() === applied || composing.current) return undefined
    const timer = setTimeout(() => onSearch(typed.trim()), TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed, applied, onSearch])
  const apply = (next: string) => {
    setTyped(next)
    if (next.trim() !== applied) onSearch(next.trim())
  }
  return (
    <span className={`relative inline-flex ${className}`}>
      <Search
        size={15}
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-subtle"
      />
      <input
        type="search"
        name="list-search"
        autoComplete="off"
        spellCheck={false}
        aria-label={label}
        placeholder={label}
        data-main-search={isMain || undefined}
        value={typed}
        onChange={event => setTyped(event.target.value)}
        onCompositionStart={() => {
          composing.current = true
        }}
        onCompositionEnd={event => {
          composing.current = false
          apply(event.currentTarget.value)
        }}
        onBlur={() => apply(typed)}
        onKeyDown={event => {
          if (event.key === 'Enter' && !event.nativeEvent.isComposing) apply(typed)
          if (event.key === 'Escape' && typed !== '') apply('')
        }}
        className={`${inputClasses} pr-8 pl-8 ${isMono ? 'font-mono' : ''}`}
      />
      {typed !== '' && (
        <IconButton
          label={t('clear')}
          icon={X}
          size="small"
          hasTooltip={false}
          className="absolute top-1/2 right-1 -translate-y-1/2"
          onClick={() => apply('')}
        />
      )}
    </span>
  )
}

interface RefreshButtonProps {
  readonly onRefresh: () => void
  readonly isBusy: boolean
}

export function RefreshButton({ onRefresh, isBusy }: RefreshButtonProps) {
  const t = useKitText()
  return <IconButton label={t('refresh')} icon={RotateCw} shortcut="r" isBusy={isBusy} onClick={onRefresh} />
}

interface BulkBarProps {
  readonly count: number
  readonly onClear: () => void
  readonly children: ReactNode
}

/** Replaces the filter bar while rows are selected. */
export function BulkBar({ count, onClear, children }: BulkBarProps) {
  const t = useKitText()
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
