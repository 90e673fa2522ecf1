import { ChevronDown, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { classes } from '../classes.ts'
import { kitText } from '../kit-text.ts'
import { PopoverButton } from '../popover-button.tsx'
import { useText } from '../text.ts'

interface FacetChipProps {
  readonly label: string
  /** What it is set to, in words; empty while it is off. */
  readonly chosen: string
  /** Absent where the filter always has a value. */
  readonly onClear?: () => void
  readonly children: (close: () => void) => ReactNode
}

/** The face of a filter: its name and what it is set to. It opens its panel. */
export function FacetChip({ label, chosen, onClear, children }: FacetChipProps) {
  const t = useText(kitText)
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
        face={
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
