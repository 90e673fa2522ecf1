import { Check } from 'lucide-react'
import { useState } from 'react'
import { classes, inputClasses } from '../../class-names.ts'
import { useKitText } from '../../text/kit-text.ts'

const SEARCH_FROM = 8
const SHOWN_MAX = 200

interface FacetListProps {
  readonly label: string
  readonly options: readonly FacetOption[]
  readonly value: string
  readonly isFree: boolean
  readonly onPick: (value: string) => void
}

const fold = (text: string): string => text.normalize('NFKC').toLowerCase()

/** The values of a facet, searchable when there are many. */
export function FacetList({ label, options, value, isFree, onPick }: FacetListProps) {
  const t = useKitText()
  const [typed, setTyped] = useState('')
  const query = typed.trim()
  const matching = options.filter(option => fold(option.label).includes(fold(query))).slice(0, SHOWN_MAX)
  const isNew = isFree && query !== '' && !options.some(option => option.value === query)
  return (
    <div className="grid">
      {(isFree || options.length > SEARCH_FROM) && (
        <div className="border-b border-line p-2">
          <input
            type="search"
            autoComplete="off"
            spellCheck={false}
            aria-label={`${t('search')} ${label}`}
            placeholder={t('search')}
            value={typed}
            onChange={event => setTyped(event.target.value)}
            onKeyDown={event => {
              if (event.key === 'Enter' && !event.nativeEvent.isComposing && isFree && query !== '')
                onPick(query)
            }}
            className={inputClasses}
          />
        </div>
      )}
      <ul className="max-h-72 overflow-y-auto p-1" aria-label={label}>
        {isNew && (
          <FacetRow label={t('useTyped', { value: query })} isChosen={false} onPick={() => onPick(query)} />
        )}
        {matching.map(option => (
          <FacetRow
            key={option.value}
            label={option.label}
            {...(option.count === undefined ? {} : { count: option.count })}
            isChosen={option.value === value}
            onPick={() => onPick(option.value === value ? '' : option.value)}
          />
        ))}
        {matching.length === 0 && !isNew && <li className="px-2 py-1.5 text-muted">{t('noMatches')}</li>}
      </ul>
    </div>
  )
}

interface FacetRowProps {
  readonly label: string
  readonly count?: number
  readonly isChosen: boolean
  readonly onPick: () => void
}

const FacetRow = ({ label, count, isChosen, onPick }: FacetRowProps) => (
  <li>
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={onPick}
      className="flex h-8 w-full items-center gap-2 rounded-control px-2 text-left hover:bg-hover coarse:h-11"
    >
      <Check size={15} aria-hidden className={classes('shrink-0 text-accent', !isChosen && 'invisible')} />
      <span className="min-w-0 flex-1 truncate">{label}</span>
      {count !== undefined && <span className="text-caption text-subtle tabular">{count}</span>}
    </button>
  </li>
)

/** A value that a list can be filtered by. */
export interface FacetOption {
  readonly value: string
  readonly label: string
  /** Number of matching rows, when the server sends it. */
  readonly count?: number
}
