import { lazyPart } from '../lazy-part.ts'
import { FacetChip } from './facet-chip.tsx'
import type { FacetOption } from './facet-option.ts'

const list = lazyPart(async () => (await import('./facet-list.tsx')).FacetList)

interface FacetProps {
  readonly label: string
  readonly options: readonly FacetOption[]
  /** Empty: all of them. */
  readonly value: string
  readonly onChange: (value: string) => void
  /** What is not in the list may be typed. */
  readonly isFree?: boolean
}

/** One filter of a list: a chip that opens its values. */
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
