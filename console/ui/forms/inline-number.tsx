import { Check } from 'lucide-react'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { classes } from '../class-names.ts'

const TICK_MS = 2000

interface InlineNumberProps {
  readonly label: string
  /** Undefined when the underlying values differ; then `mixed` is shown. */
  readonly value: number | undefined
  readonly mixed?: string
  readonly min: number
  /** Resolving to false, or rejecting, restores the old number. */
  readonly onSave: (value: number) => Promise<boolean>
}

const asText = (value: number | undefined): string => (value === undefined ? '' : String(value))

/** A whole number edited inline: Enter or blur saves, Escape restores, arrow keys step, empty input changes nothing. */
export function InlineNumber({ label, value, mixed = '', min, onSave }: InlineNumberProps) {
  const [typed, setTyped] = useState<string>()
  const [isSaved, setSaved] = useState(false)
  useEffect(() => {
    if (!isSaved) return undefined
    const timer = setTimeout(() => setSaved(false), TICK_MS)
    return () => clearTimeout(timer)
  }, [isSaved])

  const parseTyped = (): number | undefined => {
    const parsed = Number.parseInt(typed ?? '', 10)
    return Number.isNaN(parsed) ? undefined : Math.max(parsed, min)
  }
  const save = async () => {
    const next = parseTyped()
    if (next === undefined || next === value) return setTyped(undefined)
    setTyped(String(next))
    const isDone = await onSave(next).catch(() => false)
    setTyped(undefined)
    setSaved(isDone)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter') event.currentTarget.blur()
    if (event.key === 'Escape') setTyped(undefined)
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
    event.preventDefault()
    const step = event.key === 'ArrowUp' ? 1 : -1
    setTyped(String(Math.max((parseTyped() ?? value ?? 0) + step, min)))
  }

  return (
    <span className="relative -mx-1.5 inline-flex coarse:mx-0">
      <input
        type="text"
        role="spinbutton"
        inputMode="numeric"
        autoComplete="off"
        aria-label={label}
        aria-valuenow={value}
        aria-valuemin={min}
        aria-valuetext={value === undefined ? mixed : undefined}
        placeholder={value === undefined ? mixed : undefined}
        value={typed ?? asText(value)}
        onFocus={event => event.target.select()}
        onChange={event => setTyped(event.target.value)}
        onBlur={() => void save()}
        onKeyDown={onKeyDown}
        className={classes(
          'h-7 rounded-control border border-transparent bg-transparent px-1.5 text-right tabular hover:border-line-strong focus:border-line-strong focus:bg-surface coarse:h-11 coarse:border-line',
          value === undefined ? 'w-16' : 'w-12',
          isSaved && 'pr-5',
        )}
      />
      {isSaved && (
        <Check
          size={13}
          aria-hidden
          className="pointer-events-none absolute top-1/2 right-1.5 -translate-y-1/2 text-success"
        />
      )}
    </span>
  )
}
