import { ChevronDown, ListFilter, RotateCw, Search, X } from 'lucide-react'
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { Button, IconButton } from '../../buttons/buttons.tsx'
import { PopoverButton } from '../../buttons/popup-buttons.tsx'
import { classes, inputClasses } from '../../class-names.ts'
import { lazyPart } from '../../lazy-part.ts'
import { useKitText } from '../../text/kit-text.ts'
import { PHONE, useMedia } from '../../use-media.ts'
import type { FacetOption } from './facet-list.tsx'

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
        <Button variant="ghost" onClick={onClear}>
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
    <div className="sticky top-13 z-25 mb-3 flex min-h-9 flex-wrap items-center gap-2 rounded-card bg-selected px-2 py-1 coarse:gap-y-3 sm:top-14">
      <IconButton label={t('clearSelection')} icon={X} size="small" onClick={onClear} />
      <span role="status" className="mr-2 font-medium tabular">
        {t('selected', { count })}
      </span>
      {children}
    </div>
  )
}

const list = lazyPart(async () => (await import('./facet-list.tsx')).FacetList)

interface FacetProps {
  readonly label: string
  readonly options: readonly FacetOption[]
  /** Empty: no filter. */
  readonly value: string
  readonly onChange: (value: string) => void
  /** Values outside the list may be typed. */
  readonly isFree?: boolean
}

/** A single-value filter: a chip that opens the list of values. */
export function Facet({ label, options, value, onChange, isFree = false }: FacetProps) {
  const chosen = options.find(option => option.value === value)?.label ?? value
  return (
    <FacetChip label={label} chosen={value === '' ? '' : chosen} onClear={() => onChange('')}>
      {close => (
        <list.Part
          label={label}
          options={options}
          value={value}
          isFree={isFree}
          onPick={picked => {
            onChange(picked)
            close()
          }}
        />
      )}
    </FacetChip>
  )
}

interface FacetChipProps {
  readonly label: string
  /** Text of the current value; empty while the filter is off. */
  readonly chosen: string
  /** Undefined where the filter always has a value. */
  readonly onClear?: () => void
  readonly children: (close: () => void) => ReactNode
}

/** Chip of a filter with its name and value. It opens the filter's popover. */
export function FacetChip({ label, chosen, onClear, children }: FacetChipProps) {
  const t = useKitText()
  const isActive = chosen !== ''
  const hasCross = isActive && onClear !== undefined
  return (
    <span className="inline-flex max-w-full">
      <PopoverButton
        label={isActive ? `${label}: ${chosen}` : label}
        className={classes(
          'inline-flex h-9 min-w-0 items-center gap-1.5 border px-2.5 text-body touch-target coarse:h-11',
          hasCross ? 'rounded-l-control' : 'rounded-control',
          hasCross
            ? 'border-primary bg-selected text-accent'
            : isActive
              ? 'border-line-strong bg-surface hover:bg-hover'
              : 'border-dashed border-line-strong text-muted hover:border-solid hover:text-fg',
        )}
        content={
          <>
            <span className="shrink-0">{label}</span>
            {isActive && <span className="max-w-52 truncate font-medium">{chosen}</span>}
            {!hasCross && <ChevronDown size={14} aria-hidden />}
          </>
        }
      >
        {children}
      </PopoverButton>
      {hasCross && (
        <button
          type="button"
          aria-label={t('removeFilter', { name: label })}
          onClick={onClear}
          className="inline-flex w-8 items-center justify-center rounded-r-control border border-l-0 border-primary bg-selected text-accent hover:bg-hover coarse:w-11"
        >
          <X size={14} aria-hidden />
        </button>
      )}
    </span>
  )
}
