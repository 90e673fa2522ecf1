import { Braces, CircleAlert, Plus, X } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { Button, IconButton } from '#console/ui/buttons/buttons.tsx'
import { classes } from '#console/ui/class-names.ts'
import { type ControlProps, TextInput } from '#console/ui/forms/fields.tsx'
import { JsonEditor } from '#console/ui/forms/json-editor.tsx'
import { columnText, EMPTY_ROW, findRowProblem, PRICE_COLUMNS, type PurchaseRow } from './purchase-prices.ts'
import { useSheetText } from './text.ts'

interface PurchasePriceEditorProps {
  readonly control: ControlProps
  readonly rows: readonly PurchaseRow[]
  /** Names to suggest. */
  readonly models: readonly string[]
  readonly onChange: (rows: readonly PurchaseRow[]) => void
  readonly onBlur: () => void
}

/** Edits what models cost the channel: a row for each, with prices that have no column as JSON. */
export function PurchasePriceEditor({ control, rows, models, onChange, onBlur }: PurchasePriceEditorProps) {
  const t = useSheetText()
  const list = useId()
  const { box, focusRow } = useRowFocus()
  const problems = control['aria-invalid'] ? rows.map((_, index) => findRowProblem(rows, index, t)) : []
  const firstWrong = problems.findIndex(problem => problem !== undefined)
  const change = (index: number, part: Partial<PurchaseRow>) =>
    onChange(rows.map((row, at) => (at === index ? { ...row, ...part } : row)))
  const remove = (index: number) => {
    onChange(rows.filter((_, at) => at !== index))
    focusRow(Math.min(index, rows.length - 2))
  }
  return (
    <div ref={box} className="grid gap-2">
      {rows.length > 0 && (
        <ul className="grid gap-3 sm:gap-2">
          {rows.map((row, index) => (
            <PriceRow
              // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other identity while it is being typed
              key={index}
              row={row}
              number={index + 1}
              id={firstWrong === index ? control.id : undefined}
              list={list}
              problem={problems[index]}
              onChange={part => change(index, part)}
              onBlur={onBlur}
              onRemove={() => remove(index)}
            />
          ))}
        </ul>
      )}
      <datalist id={list}>
        {models.map(model => (
          <option key={model} value={model} />
        ))}
      </datalist>
      <Button
        id={firstWrong < 0 ? control.id : undefined}
        aria-label={t('addPrice')}
        aria-describedby={control['aria-describedby']}
        size="small"
        icon={Plus}
        className="justify-self-start"
        onClick={() => {
          onChange([...rows, EMPTY_ROW])
          focusRow(rows.length)
        }}
      >
        {t('addPrice')}
      </Button>
    </div>
  )
}

/** Moves the focus to a row's model once the row is drawn; below 0 to the last button, which adds one. */
function useRowFocus() {
  const box = useRef<HTMLDivElement>(null)
  const next = useRef<number>(undefined)
  useEffect(() => {
    const index = next.current
    next.current = undefined
    if (index === undefined) return
    const target = box.current?.querySelectorAll<HTMLElement>('[data-price-model]')[index]
    const buttons = box.current?.querySelectorAll('button') ?? []
    ;(target ?? buttons[buttons.length - 1])?.focus()
  })
  const focusRow = (index: number) => {
    next.current = index
  }
  return { box, focusRow }
}

interface PriceRowProps {
  readonly row: PurchaseRow
  /** Counts from 1. */
  readonly number: number
  readonly id: string | undefined
  /** Id of the list of suggested models. */
  readonly list: string
  readonly problem: string | undefined
  readonly onChange: (part: Partial<PurchaseRow>) => void
  readonly onBlur: () => void
  readonly onRemove: () => void
}

function PriceRow({ row, number, id, list, problem, onChange, onBlur, onRemove }: PriceRowProps) {
  const t = useSheetText()
  const [isOpen, setOpen] = useState(false)
  const problemId = useId()
  const isShown = isOpen || row.others.trim() !== ''
  const name = row.model || String(number)
  return (
    <li className="grid gap-2 rounded-card border border-line p-3 sm:border-0 sm:p-0">
      <div className="grid grid-cols-2 gap-2 sm:grid-cols-[minmax(6rem,1fr)_repeat(4,minmax(0,5.25rem))_auto] sm:items-end">
        <div className="col-span-2 grid gap-1 sm:col-span-1">
          <Caption isFirst={number === 1}>{t('priceModel')}</Caption>
          <TextInput
            data-price-model
            id={id}
            isMono
            list={list}
            aria-label={t('priceModelOf', { number })}
            aria-invalid={problem ? true : undefined}
            aria-describedby={problem && problemId}
            value={row.model}
            onChange={event => onChange({ model: event.target.value })}
            onBlur={onBlur}
          />
        </div>
        {PRICE_COLUMNS.map(column => (
          <div key={column} className="grid gap-1">
            <Caption isFirst={number === 1}>{t(columnText(column))}</Caption>
            <TextInput
              inputMode="decimal"
              className="tabular"
              aria-label={t('priceOf', { price: t(columnText(column)), model: name })}
              value={row[column]}
              onChange={event => onChange({ [column]: event.target.value })}
              onBlur={onBlur}
            />
          </div>
        ))}
        <div className="col-span-2 flex justify-end gap-1 sm:col-span-1 sm:h-9 sm:items-center coarse:gap-3">
          <IconButton
            label={t('otherPrices', { model: name })}
            icon={Braces}
            size="small"
            aria-expanded={isShown}
            onClick={() => setOpen(!isShown)}
          />
          <IconButton label={t('removePrice', { model: name })} icon={X} size="small" onClick={onRemove} />
        </div>
      </div>
      {isShown && (
        <JsonEditor
          aria-label={t('otherPrices', { model: name })}
          rows={3}
          value={row.others}
          placeholder={OTHERS_EXAMPLE}
          onChange={others => onChange({ others })}
          onBlur={onBlur}
        />
      )}
      {problem && (
        <p id={problemId} className="flex items-start gap-1.5 text-caption text-danger">
          <CircleAlert size={14} aria-hidden className="mt-px shrink-0" />
          {problem}
        </p>
      )}
    </li>
  )
}

const OTHERS_EXAMPLE = '{\n  "service_tiers": { "flex": { "input": 1, "output": 4 } }\n}'

interface CaptionProps {
  /** Wide screens show the captions above the first row only. */
  readonly isFirst: boolean
  readonly children: string
}

const Caption = ({ isFirst, children }: CaptionProps) => (
  <span aria-hidden className={classes('truncate text-caption text-muted', !isFirst && 'sm:hidden')}>
    {children}
  </span>
)
