import { Combobox as Base } from '@base-ui/react/combobox'
import { X } from 'lucide-react'
import { type ClipboardEvent, useMemo, useState } from 'react'
import { classes } from './classes.ts'
import { ComboboxList, ComboboxTick, comboboxItemClasses, leaveEscape } from './combobox-list.tsx'
import type { ControlProps } from './control.ts'
import { kitText } from './kit-text.ts'
import { useText } from './text.ts'

const CHIPS_SHOWN = 24
const LISTED_MAX = 200
const SEPARATORS = /[,，\s]+/

interface MultiComboboxProps extends Partial<ControlProps> {
  readonly options: readonly string[]
  readonly value: readonly string[]
  readonly onChange: (value: readonly string[]) => void
  readonly placeholder?: string
  readonly disabled?: boolean
  /** What is not in the list may be typed. */
  readonly isFree?: boolean
  readonly isMono?: boolean
}

const distinct = (words: readonly string[]): string[] => [
  ...new Set(words.map(word => word.trim()).filter(word => word !== '')),
]

/** Several of many, found by typing. A pasted list is taken apart at commas, spaces and line ends. */
export function MultiCombobox(props: MultiComboboxProps) {
  const {
    options,
    value,
    onChange,
    placeholder,
    disabled = false,
    isFree = false,
    isMono = false,
    ...control
  } = props
  const t = useText(kitText)
  const [typed, setTyped] = useState('')
  const known = useMemo(() => new Set(options), [options])
  const wanted = typed.trim()
  const isNew = isFree && wanted !== '' && !known.has(wanted) && !value.includes(wanted)
  const items = useMemo(
    () => distinct([...(isNew ? [wanted] : []), ...value, ...options]),
    [isNew, wanted, value, options],
  )

  const paste = (event: ClipboardEvent) => {
    const words = distinct(event.clipboardData.getData('text').split(SEPARATORS))
    const accepted = isFree ? words : words.filter(word => known.has(word))
    if (words.length < 2 || accepted.length === 0) return
    event.preventDefault()
    onChange(distinct([...value, ...accepted]))
  }

  return (
    <Base.Root
      autoComplete="off"
      multiple
      items={items}
      limit={LISTED_MAX}
      value={[...value]}
      disabled={disabled}
      inputValue={typed}
      onInputValueChange={setTyped}
      onValueChange={(next: string[]) => onChange(next)}
    >
      <Base.InputGroup
        className={classes(
          'flex min-h-9 cursor-text flex-wrap items-center rounded-control border border-line-strong bg-surface px-1 py-1 hover:border-muted focus-within:outline-2 focus-within:outline-ring coarse:min-h-11',
          disabled && 'opacity-55',
          control['aria-invalid'] && 'border-danger',
        )}
      >
        <Base.Chips className="flex w-full flex-wrap items-center gap-1">
          <ChipList value={value} isMono={isMono} />
          <Base.Input
            {...control}
            placeholder={value.length === 0 ? (placeholder ?? '') : ''}
            onPaste={paste}
            onKeyDown={leaveEscape}
            className="control-text h-6.5 min-w-16 flex-1 bg-transparent px-1.5 outline-none disabled:cursor-not-allowed"
          />
        </Base.Chips>
      </Base.InputGroup>
      <ComboboxList<string>>
        {item => (
          <Base.Item key={item} value={item} className={comboboxItemClasses}>
            <ComboboxTick />
            <span className={classes('min-w-0 flex-1 truncate', isMono && 'font-mono text-small')}>
              {isNew && item === wanted ? t('useTyped', { value: item }) : item}
            </span>
          </Base.Item>
        )}
      </ComboboxList>
    </Base.Root>
  )
}

function ChipList({ value, isMono }: { readonly value: readonly string[]; readonly isMono: boolean }) {
  const t = useText(kitText)
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? value : value.slice(0, CHIPS_SHOWN)
  return (
    <>
      {shown.map(word => (
        <Base.Chip
          key={word}
          aria-label={word}
          className={classes(
            'flex h-6.5 max-w-full items-center gap-0.5 rounded-[5px] bg-neutral-bg pl-2 text-small text-neutral outline-none data-highlighted:bg-selected data-highlighted:text-accent coarse:h-9',
            isMono && 'font-mono text-caption',
          )}
        >
          <span className="truncate">{word}</span>
          <Base.ChipRemove
            aria-label={t('removeItem', { name: word })}
            className="flex h-full w-6 items-center justify-center rounded-r-[5px] hover:text-fg coarse:w-9"
          >
            <X size={13} aria-hidden />
          </Base.ChipRemove>
        </Base.Chip>
      ))}
      {value.length > shown.length && (
        <button
          type="button"
          className="h-6.5 rounded-[5px] px-2 text-small text-accent hover:bg-hover"
          onClick={() => setWhole(true)}
        >
          {t('moreItems', { count: value.length - shown.length })}
        </button>
      )}
    </>
  )
}
