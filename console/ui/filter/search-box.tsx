import { Search, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { inputClasses } from '../control.ts'
import { IconButton } from '../icon-button.tsx'
import { kitText } from '../kit-text.ts'
import { useText } from '../text.ts'

const TYPING_PAUSE_MS = 300

interface SearchBoxProps {
  readonly label: string
  /** What the list is filtered by now. */
  readonly value: string
  /** After Enter, leaving the box, or a pause of 300 ms; never in the middle of an IME composition. */
  readonly onSearch: (value: string) => void
  readonly isMono?: boolean
  readonly className?: string
  /** `/` leads here. */
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
  const t = useText(kitText)
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
