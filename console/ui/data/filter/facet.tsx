import { ChevronDown, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { PopoverButton } from '../../buttons/popup-buttons.tsx'
import { classes } from '../../class-names.ts'
import { lazyPart } from '../../lazy-part.ts'
import { useKitText } from '../../text/kit-text.ts'

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

/** A value that a list can be filtered by. */
export interface FacetOption {
  readonly value: string
  readonly label: string
  /** Number of matching rows, when the server sends it. */
  readonly count?: number
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
