import { useState } from 'react'
import { formatDollars } from '../../../app/format/format.tsx'
import { Button } from '../../../ui/buttons/buttons.tsx'
import { KeyValues } from '../../../ui/data/facts.tsx'
import { Field, SegmentedChoice, TextInput } from '../../../ui/forms/fields.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { useKitText } from '../../../ui/text/kit-text.ts'
import { useLanguage } from '../../../ui/text/text.ts'
import { useOptionForm } from '../options/form.ts'
import { dollarsOfRatio, type PriceRow, ratioOfDollars } from './model-prices.ts'
import { parseAmount, parseNumberTable } from './option-table.ts'
import { useOperationText } from './text.ts'

const FIELDS = {
  byToken: [
    { name: 'ratio', label: 'modelRatio' },
    { name: 'completion', label: 'completionRatio', help: 'completionHelp' },
  ],
  byMillion: [
    { name: 'input', label: 'inputPrice' },
    { name: 'output', label: 'outputPrice', help: 'completionHelp' },
  ],
  byCall: [{ name: 'price', label: 'pricePerCall' }],
} as const

interface PriceDialogProps {
  /** A row without a name creates a new model. */
  readonly row: PriceRow
  readonly existingNames: readonly string[]
  readonly onApply: (row: PriceRow) => void
  readonly onClose: () => void
}

/** Edits the price of a model: as ratios, in dollars per million tokens, or per call. */
export function PriceDialog({ row, existingNames, onApply, onClose }: PriceDialogProps) {
  const t = useOperationText()
  const k = useKitText()
  const isNew = row.name === ''
  const [form, setForm] = useState<PriceForm>(() => toPriceForm(row))
  const [isSubmitted, setSubmitted] = useState(false)
  const errors = validate(form, isNew ? existingNames : [])
  const isFine = Object.keys(errors).length === 0
  const errorOf = (name: keyof PriceForm) => {
    const problem = isSubmitted ? errors[name] : undefined
    return problem && t(problem)
  }
  const apply = () => {
    setSubmitted(true)
    if (isFine) onApply(toPriceRow(form))
  }
  return (
    <Dialog
      title={isNew ? t('addModel') : t('editModel', { name: row.name })}
      width="normal"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{k('cancel')}</Button>
          <Button variant="primary" onClick={apply}>
            {t('apply')}
          </Button>
        </>
      }
    >
      <div className="grid gap-5">
        {isNew && (
          <Field label={t('model')} isRequired error={errorOf('name')}>
            {control => (
              <TextInput
                {...control}
                isMono
                value={form.name}
                onChange={event => setForm({ ...form, name: event.target.value })}
              />
            )}
          </Field>
        )}
        <SegmentedChoice
          label={t('pricing')}
          value={form.pricing}
          options={(['byToken', 'byMillion', 'byCall'] as const).map(value => ({ value, label: t(value) }))}
          onChange={pricing => setForm({ ...form, pricing })}
        />
        <div className="grid gap-5 sm:grid-cols-2">
          {FIELDS[form.pricing].map(field => (
            <Field
              key={field.name}
              label={t(field.label)}
              help={'help' in field ? t(field.help) : undefined}
              error={errorOf(field.name)}
            >
              {control => (
                <TextInput
                  {...control}
                  inputMode="decimal"
                  className="tabular"
                  value={form[field.name]}
                  onChange={event => setForm({ ...form, [field.name]: event.target.value })}
                />
              )}
            </Field>
          ))}
        </div>
        {isFine && <GroupPreview row={toPriceRow(form)} />}
      </div>
    </Dialog>
  )
}

/** Resulting prices in each group. */
function GroupPreview({ row: { price, ratio = 0, completion } }: { readonly row: PriceRow }) {
  const t = useOperationText()
  const language = useLanguage()
  const groups = parseNumberTable(useOptionForm().currentValue('GroupRatio')) ?? {}
  const wordsFor = (group: number): string => {
    if (price !== undefined) return t('perCall', { price: formatDollars(price * group, language) })
    const input = dollarsOfRatio(ratio) * group
    const output = completion === undefined ? undefined : input * completion
    return [
      `${t('input')} ${formatDollars(input, language)}`,
      output !== undefined && `${t('output')} ${formatDollars(output, language)}`,
    ]
      .filter(Boolean)
      .join(' · ')
  }
  return (
    <div className="rounded-card bg-sunken px-3 py-2.5">
      <p className="mb-1.5 text-caption font-medium text-muted">{t('groupPreview')}</p>
      <KeyValues
        items={Object.entries(groups).map(([group, factor]) => ({ label: group, value: wordsFor(factor) }))}
      />
    </div>
  )
}

export type Pricing = 'byToken' | 'byMillion' | 'byCall'

/** Form values as typed. */
export interface PriceForm {
  readonly name: string
  readonly pricing: Pricing
  readonly price: string
  readonly ratio: string
  readonly completion: string
  readonly input: string
  readonly output: string
}

const DIGITS = 9
const asTyped = (value: number | undefined): string =>
  value === undefined ? '' : String(Number(value.toPrecision(DIGITS)))

export function toPriceForm(row: PriceRow): PriceForm {
  const { name, price, ratio, completion } = row
  const input = ratio === undefined ? undefined : dollarsOfRatio(ratio)
  return {
    name,
    pricing: price === undefined ? 'byToken' : 'byCall',
    price: asTyped(price),
    ratio: asTyped(ratio),
    completion: asTyped(completion),
    input: asTyped(input),
    output: input === undefined || completion === undefined ? '' : asTyped(input * completion),
  }
}

export type PriceProblem = 'modelNeeded' | 'modelTaken' | 'numberNeeded'
type Problems = Partial<Record<keyof PriceForm, PriceProblem>>

const NEEDED = { byToken: ['ratio'], byMillion: ['input'], byCall: ['price'] } as const
const OPTIONAL = { byToken: ['completion'], byMillion: ['output'], byCall: [] } as const

/** Validates the fields of the chosen pricing. `taken` lists models that already have a price. */
export function validate(form: PriceForm, taken: readonly string[]): Problems {
  const name = form.name.trim()
  const errors: Problems = {}
  if (name === '') errors.name = 'modelNeeded'
  else if (taken.includes(name)) errors.name = 'modelTaken'
  for (const field of NEEDED[form.pricing])
    if (parseAmount(form[field]) === undefined) errors[field] = 'numberNeeded'
  for (const field of OPTIONAL[form.pricing])
    if (form[field].trim() !== '' && parseAmount(form[field]) === undefined) errors[field] = 'numberNeeded'
  return errors
}

/** Converts validated values to a row. */
export function toPriceRow(form: PriceForm): PriceRow {
  const name = form.name.trim()
  if (form.pricing === 'byCall')
    return { name, price: parseAmount(form.price), ratio: undefined, completion: undefined }
  if (form.pricing === 'byToken')
    return {
      name,
      price: undefined,
      ratio: parseAmount(form.ratio),
      completion: parseAmount(form.completion),
    }
  const input = parseAmount(form.input) ?? 0
  const output = parseAmount(form.output)
  const completion = output === undefined || input === 0 ? undefined : output / input
  return { name, price: undefined, ratio: ratioOfDollars(input), completion }
}
