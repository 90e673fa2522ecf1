import { Combobox as Base } from '@base-ui/react/combobox'
import { Check, ChevronDown, X } from 'lucide-react'
import { type ClipboardEvent, type KeyboardEvent, type ReactNode, useMemo, useState } from 'react'
import { closestLandmark } from '../buttons/popup-buttons.tsx'
import { classes, inputClasses } from '../class-names.ts'
import { useKitText } from '../text/kit-text.ts'
import { type ControlProps, labelId } from './fields.tsx'

export interface ComboboxOption {
  readonly value: string
  readonly label: string
  /** Second line in the list. */
  readonly hint?: string
  /** Shown at the end of the row. */
  readonly badge?: ReactNode
  readonly icon?: ReactNode
}

interface ComboboxProps extends Partial<ControlProps> {
  readonly options: readonly ComboboxOption[]
  readonly value: string
  readonly onChange: (value: string) => void
  readonly onBlur?: () => void
  readonly placeholder?: string
  readonly disabled?: boolean
  readonly 'aria-label'?: string
}

/** Searchable select for long lists. */
export function Combobox({
  options,
  value,
  onChange,
  onBlur,
  placeholder,
  disabled = false,
  ...control
}: ComboboxProps) {
  const t = useKitText()
  const chosen = useStableOption(options, value)
  const [group, setGroup] = useState<HTMLDivElement | null>(null)
  return (
    <Base.Root
      autoComplete="off"
      autoHighlight
      items={options}
      value={chosen}
      disabled={disabled}
      isItemEqualToValue={(a: ComboboxOption, b: ComboboxOption) => a.value === b.value}
      filter={isMatch}
      onValueChange={(option: ComboboxOption | null) => option && onChange(option.value)}
    >
      <Base.InputGroup ref={setGroup} className="relative">
        <Base.Input
          {...control}
          {...labelOf(control)}
          {...(placeholder ? { placeholder } : {})}
          onBlur={onBlur}
          onFocus={event => event.currentTarget.select()}
          onClick={event => selectUnlessTyped(event.currentTarget, chosen?.label)}
          onKeyDown={event => {
            leaveEscape(event)
            keepInForm(event, chosen?.label)
          }}
          className={`${inputClasses} pr-9`}
        />
        <Base.Trigger
          aria-label={t('show')}
          tabIndex={-1}
          className="absolute inset-y-0 right-0 flex w-9 items-center justify-center text-muted"
        >
          <ChevronDown size={15} aria-hidden />
        </Base.Trigger>
      </Base.InputGroup>
      <ComboboxList<ComboboxOption> container={closestLandmark(group)}>
        {option => (
          <Base.Item key={option.value} value={option} className={comboboxItemClasses}>
            <ComboboxTick />
            {option.icon}
            <span className="min-w-0 flex-1">
              <span className="block truncate">{option.label}</span>
              {option.hint && <span className="block truncate text-caption text-muted">{option.hint}</span>}
            </span>
            {option.badge}
          </Base.Item>
        )}
      </ComboboxList>
    </Base.Root>
  )
}

/** Keeps the object stable: a new one would make Base UI overwrite the typed text with its label. */
function useStableOption(options: readonly ComboboxOption[], value: string): ComboboxOption | null {
  const label = options.find(option => option.value === value)?.label ?? (value || undefined)
  return useMemo(() => (label === undefined ? null : { value, label }), [value, label])
}

/** Matches the label, the hint and the value. */
const isMatch = ({ label, hint = '', value }: ComboboxOption, typed: string): boolean =>
  `${label} ${hint} ${value}`.toLowerCase().includes(typed.trim().toLowerCase())

const CHIPS_SHOWN = 24
const LISTED_MAX = 200
const SEPARATORS = /[,，\s]+/

interface MultiComboboxProps extends Partial<ControlProps> {
  readonly options: readonly string[]
  readonly value: readonly string[]
  readonly onChange: (value: readonly string[]) => void
  readonly placeholder?: string
  readonly disabled?: boolean
  /** Values outside the list may be typed. */
  readonly isFree?: boolean
  readonly isMono?: boolean
}

const distinct = (words: readonly string[]): string[] => [
  ...new Set(words.map(word => word.trim()).filter(word => word !== '')),
]

/** Searchable multi-select. Pasted lists are split at commas, spaces and line breaks. */
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
  const t = useKitText()
  const [typed, setTyped] = useState('')
  const [group, setGroup] = useState<HTMLDivElement | null>(null)
  const known = useMemo(() => new Set(options), [options])
  const newItem = typed.trim()
  const isNew = isFree && newItem !== '' && !known.has(newItem) && !value.includes(newItem)
  const items = useMemo(
    () => distinct([...(isNew ? [newItem] : []), ...value, ...options]),
    [isNew, newItem, value, options],
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
        ref={setGroup}
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
            {...labelOf(control)}
            placeholder={value.length === 0 ? (placeholder ?? '') : ''}
            onPaste={paste}
            onKeyDown={leaveEscape}
            className="control-text h-6.5 min-w-16 flex-1 bg-transparent px-1.5 outline-none disabled:cursor-not-allowed"
          />
        </Base.Chips>
      </Base.InputGroup>
      <ComboboxList<string> container={closestLandmark(group)}>
        {item => (
          <Base.Item key={item} value={item} className={comboboxItemClasses}>
            <ComboboxTick />
            <span className={classes('min-w-0 flex-1 truncate', isMono && 'font-mono text-small')}>
              {isNew && item === newItem ? t('useTyped', { value: item }) : item}
            </span>
          </Base.Item>
        )}
      </ComboboxList>
    </Base.Root>
  )
}

function ChipList({ value, isMono }: { readonly value: readonly string[]; readonly isMono: boolean }) {
  const t = useKitText()
  const [isExpanded, setExpanded] = useState(false)
  const shown = isExpanded ? value : value.slice(0, CHIPS_SHOWN)
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
          onClick={() => setExpanded(true)}
        >
          {t('moreItems', { count: value.length - shown.length })}
        </button>
      )}
    </>
  )
}

/** Names the input by its label itself, because Base UI hides everything around an open list from screen readers. */
const labelOf = (control: Partial<ControlProps> & { readonly 'aria-label'?: string }) =>
  control.id === undefined || control['aria-label'] !== undefined
    ? {}
    : { 'aria-labelledby': labelId(control.id) }

interface ComboboxListProps<Item> {
  /** The landmark that the list belongs to. */
  readonly container: HTMLElement
  readonly children: (item: Item) => ReactNode
}

/** The popup list of both comboboxes. The list itself scrolls, since it is what the input controls. */
function ComboboxList<Item>({ container, children }: ComboboxListProps<Item>) {
  const t = useKitText()
  return (
    <Base.Portal container={container}>
      <Base.Positioner
        positionMethod="fixed"
        className="z-50 outline-none"
        sideOffset={4}
        collisionPadding={8}
      >
        <Base.Popup className="flex max-h-[min(20rem,var(--available-height))] w-[max(var(--anchor-width),12rem)] max-w-[var(--available-width)] flex-col rounded-card border border-line bg-raised p-1 shadow-menu">
          <Base.Empty>
            <div className="px-2 py-1.5 text-body text-muted">{t('noMatches')}</div>
          </Base.Empty>
          <Base.List className="min-h-0 overflow-y-auto overscroll-contain outline-none">
            {children}
          </Base.List>
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  )
}

const comboboxItemClasses =
  'flex min-h-8 cursor-default items-center gap-2 rounded-control px-2 py-1 text-body outline-none select-none data-highlighted:bg-hover coarse:min-h-11'

/** Check mark of a selected item. Takes up the same space when it is hidden. */
const ComboboxTick = () => (
  <span className="w-4 shrink-0">
    <Base.ItemIndicator>
      <Check size={15} aria-hidden className="text-accent" />
    </Base.ItemIndicator>
  </span>
)

interface ComboboxKey {
  readonly key: string
  readonly currentTarget: Element
  readonly preventBaseUIHandler: () => void
}

/** While the list is closed, Escape closes the surrounding sheet and must not clear the selection. */
function leaveEscape(event: ComboboxKey): void {
  const isOpen = event.currentTarget.getAttribute('aria-expanded') === 'true'
  if (event.key === 'Escape' && !isOpen) event.preventBaseUIHandler()
}

/** Typing replaces the chosen label, also after a click, which puts the caret into it. */
function selectUnlessTyped(input: HTMLInputElement, label: string | undefined): void {
  if (input.value === label && input.selectionStart === input.selectionEnd) input.select()
}

/** Enter takes an item. It does not submit the form while the text that was typed is not one. */
function keepInForm(event: KeyboardEvent<HTMLInputElement>, label: string | undefined): void {
  const { value, ariaExpanded } = event.currentTarget
  if (event.key === 'Enter' && (ariaExpanded === 'true' || value !== (label ?? ''))) event.preventDefault()
}
