import { useState } from 'react'
import { inputClasses } from '#console/ui/class-names.ts'
import type { FacetOption } from '#console/ui/data/filter/facet-list.tsx'
import { FacetChip } from '#console/ui/data/filter/filters.tsx'
import { Checkbox } from '#console/ui/forms/fields.tsx'
import { useKitText } from '#console/ui/text/kit-text.ts'

const SEARCH_FROM = 8
const SHOWN_MAX = 200

interface MultiFacetProps {
  readonly label: string
  readonly options: readonly FacetOption[]
  /** Empty: no filter. */
  readonly values: readonly string[]
  readonly onChange: (values: readonly string[]) => void
}

/** A multi-value filter. Values outside the list may be typed. */
export function MultiFacet({ label, options, values, onChange }: MultiFacetProps) {
  const t = useKitText()
  const [first, ...others] = values
  const name = options.find(option => option.value === first)?.label ?? first ?? ''
  const chosen = others.length === 0 ? name : `${name} +${others.length}`
  return (
    <FacetChip label={label} chosen={chosen} onClear={() => onChange([])}>
      {() => (
        <MultiFacetList
          label={label}
          search={`${t('search')} ${label}`}
          options={options}
          values={values}
          onChange={onChange}
        />
      )}
    </FacetChip>
  )
}

interface MultiFacetListProps extends MultiFacetProps {
  readonly search: string
}

function MultiFacetList({ label, search, options, values, onChange }: MultiFacetListProps) {
  const t = useKitText()
  const [typed, setTyped] = useState('')
  const query = typed.trim()
  const unlisted = values.filter(value => !options.some(option => option.value === value))
  const all: readonly FacetOption[] = [...unlisted.map(value => ({ value, label: value })), ...options]
  const shown = all
    .filter(option => option.label.toLowerCase().includes(query.toLowerCase()))
    .slice(0, SHOWN_MAX)
  const toggle = (value: string, isOn: boolean) =>
    onChange(isOn ? [...values, value] : values.filter(other => other !== value))
  const addTyped = () => {
    if (query !== '' && !values.includes(query)) onChange([...values, query])
    setTyped('')
  }
  return (
    <div className="grid">
      <div className="border-b border-line p-2">
        <input
          type="search"
          autoComplete="off"
          spellCheck={false}
          aria-label={search}
          placeholder={all.length > SEARCH_FROM ? t('search') : label}
          value={typed}
          onChange={event => setTyped(event.target.value)}
          onKeyDown={event => event.key === 'Enter' && !event.nativeEvent.isComposing && addTyped()}
          className={inputClasses}
        />
      </div>
      <ul className="max-h-72 overflow-y-auto p-1" aria-label={label}>
        {shown.map(({ value, label: name, count }) => (
          <li
            key={value}
            className="flex min-h-8 items-center gap-2 rounded-control px-2 hover:bg-hover coarse:min-h-11"
          >
            <Checkbox
              className="min-w-0 flex-1 py-1 [overflow-wrap:anywhere]"
              checked={values.includes(value)}
              onChange={event => toggle(value, event.target.checked)}
            >
              {name}
            </Checkbox>
            {count !== undefined && <span className="text-caption text-subtle tabular">{count}</span>}
          </li>
        ))}
        {query !== '' && !all.some(option => option.value === query) && (
          <li>
            <button
              type="button"
              onClick={addTyped}
              className="flex h-8 w-full items-center rounded-control px-2 text-left text-accent hover:bg-hover coarse:h-11"
            >
              {t('useTyped', { value: query })}
            </button>
          </li>
        )}
      </ul>
    </div>
  )
}
