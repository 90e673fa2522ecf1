import { useState } from 'react'
import { useOptionForm } from '#console/app/settings/form.ts'
import { parseAmount } from '#console/app/settings/parse-amount.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { KeyValues } from '#console/ui/data/facts.tsx'
import { SegmentedChoice } from '#console/ui/forms/fields.tsx'
import { InputField } from '#console/ui/forms/labelled-inputs.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import {
  type BUCKET_RATIOS,
  type BucketRatios,
  bucketPrice,
  newRow,
  type PriceRow,
  type PriceTables,
  priceRows,
  ratioOfDollars,
  similarPrice,
} from './model-prices.ts'
import { parseNumberTable } from './option-table.ts'
import { priceWords } from './price-words.ts'
import { usePriceSettingsText } from './text.ts'

const FIELDS = {
  byToken: [
    { name: 'ratio', label: 'modelRatio' },
    { name: 'completion', label: 'completionRatio', help: 'completionHelp', bucket: 'completion' },
    { name: 'cache', label: 'cacheRatio', bucket: 'cache' },
    { name: 'cacheWrite', label: 'cacheWriteRatio', bucket: 'cacheWrite' },
  ],
  byMillion: [
    { name: 'input', label: 'inputPrice' },
    { name: 'output', label: 'outputPrice', help: 'completionHelp', bucket: 'completion' },
    { name: 'cachedPrice', label: 'cachePrice', bucket: 'cache' },
    { name: 'cacheWritePrice', label: 'cacheWritePrice', bucket: 'cacheWrite' },
  ],
  byCall: [{ name: 'price', label: 'pricePerCall' }],
} as const

interface PriceDialogProps {
  /** A row without a name creates a new model. */
  readonly row: PriceRow
  readonly tables: PriceTables
  /** The ratios that apply to fields that are left empty, by model. */
  readonly defaults: ReadonlyMap<string, BucketRatios> | undefined
  readonly onApply: (row: PriceRow) => void
  readonly onClose: () => void
}

/** Edits the price of a model: in dollars per million tokens, per call, or as ratios. */
export function PriceDialog({ row, tables, defaults, onApply, onClose }: PriceDialogProps) {
  const t = usePriceSettingsText()
  const language = useLanguage()
  const isNew = row.name === ''
  const [form, setForm] = useState<PriceForm>(() => toPriceForm(row, defaults?.get(row.name)))
  const [isSubmitted, setSubmitted] = useState(false)
  const name = form.name.trim()
  const errors = validate(form, isNew ? priceRows(tables).map(known => known.name) : [])
  const proposal = isNew && name !== '' ? similarPrice(name, tables, defaults) : undefined
  const isFine = Object.keys(errors).length === 0
  const ownDefaults = defaults?.get(name)
  const edited = toPriceRow(form, { row, defaults: ownDefaults })
  const errorOf = (name: keyof PriceForm) => {
    const problem = isSubmitted ? errors[name] : undefined
    return problem && t(problem)
  }
  const apply = () => {
    setSubmitted(true)
    if (isFine) onApply(edited)
  }
  return (
    <Dialog
      title={isNew ? t('addModel') : t('editModel', { name: row.name })}
      width="normal"
      onClose={onClose}
      confirm={{ onClick: apply, children: t('apply') }}
    >
      <div className="grid gap-5">
        {isNew && (
          <InputField
            label={t('model')}
            isRequired
            error={errorOf('name')}
            isMono
            value={form.name}
            onChange={event => setForm({ ...form, name: event.target.value })}
          />
        )}
        {proposal && (
          <p className="-mt-2 flex flex-wrap items-center justify-between gap-2 text-small text-muted">
            {t('proposal', { of: proposal.of, price: priceWords(proposal.row, t, language) })}
            <Button size="small" onClick={() => setForm(toPriceForm(proposal.row, undefined))}>
              {t('takeProposal')}
            </Button>
          </p>
        )}
        <SegmentedChoice
          label={t('pricing')}
          value={form.pricing}
          options={(['byMillion', 'byCall', 'byToken'] as const).map(value => ({ value, label: t(value) }))}
          onChange={pricing => setForm({ ...form, pricing })}
        />
        <div className="grid gap-5 sm:grid-cols-2">
          {FIELDS[form.pricing].map(field => (
            <InputField
              key={field.name}
              label={t(field.label)}
              help={'help' in field ? t(field.help) : undefined}
              error={errorOf(field.name)}
              inputMode="decimal"
              className="tabular"
              placeholder={'bucket' in field ? defaultText(form, field.bucket, ownDefaults) : undefined}
              value={form[field.name]}
              onChange={event => setForm({ ...form, [field.name]: event.target.value })}
            />
          ))}
        </div>
        {isFine && <GroupPreview row={edited} defaults={ownDefaults} />}
      </div>
    </Dialog>
  )
}

/** Meaning of an empty field, in its unit. */
function defaultText(
  { pricing, input }: PriceForm,
  bucket: (typeof BUCKET_RATIOS)[number],
  defaults: BucketRatios | undefined,
): string | undefined {
  const ratio = defaults?.[bucket]
  if (ratio === undefined) return undefined
  if (pricing === 'byToken') return asTyped(ratio)
  const dollars = parseAmount(input)
  return dollars === undefined ? undefined : asTyped(dollars * ratio)
}

interface GroupPreviewProps {
  readonly row: PriceRow
  readonly defaults: BucketRatios | undefined
}

/** Resulting prices in each group. */
function GroupPreview({ row, defaults }: GroupPreviewProps) {
  const t = usePriceSettingsText()
  const language = useLanguage()
  const groups = parseNumberTable(useOptionForm().currentValue('GroupRatio')) ?? {}
  return (
    <div className="rounded-card bg-sunken px-3 py-2.5">
      <p className="mb-1.5 text-caption font-medium text-muted">{t('groupPreview')}</p>
      <KeyValues
        items={Object.entries(groups).map(([group, factor]) => ({
          label: group,
          value: priceWords(row, t, language, { group: factor, defaults }),
        }))}
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
  readonly cache: string
  readonly cacheWrite: string
  readonly input: string
  readonly output: string
  readonly cachedPrice: string
  readonly cacheWritePrice: string
}

const DIGITS = 9
const rounded = (value: number): number => Number(value.toPrecision(DIGITS))
const asTyped = (value: number | undefined): string => (value === undefined ? '' : String(rounded(value)))

/** Fills in the prices that apply, those of default ratios included, so that none of them moves with another. */
export function toPriceForm(row: PriceRow, defaults: BucketRatios | undefined): PriceForm {
  const { name, price, ratio, completion, cache, cacheWrite } = row
  const dollarsOf = (bucket: 'input' | (typeof BUCKET_RATIOS)[number]): string =>
    asTyped(bucketPrice(row, bucket, defaults)?.dollars)
  return {
    name,
    pricing: price === undefined ? 'byMillion' : 'byCall',
    price: asTyped(price),
    ratio: asTyped(ratio),
    completion: asTyped(completion),
    cache: asTyped(cache),
    cacheWrite: asTyped(cacheWrite),
    input: dollarsOf('input'),
    output: dollarsOf('completion'),
    cachedPrice: dollarsOf('cache'),
    cacheWritePrice: dollarsOf('cacheWrite'),
  }
}

export type PriceProblem = 'modelNeeded' | 'modelTaken' | 'numberNeeded' | 'inputFree'
type Problems = Partial<Record<keyof PriceForm, PriceProblem>>

const NEEDED = { byToken: ['ratio'], byMillion: ['input'], byCall: ['price'] } as const
const OPTIONAL = {
  byToken: ['completion', 'cache', 'cacheWrite'],
  byMillion: ['output', 'cachedPrice', 'cacheWritePrice'],
  byCall: [],
} as const

/** Validates the fields of the chosen pricing. `taken` lists models that already have a price. */
export function validate(form: PriceForm, taken: readonly string[]): Problems {
  const name = form.name.trim()
  const errors: Problems = {}
  if (name === '') errors.name = 'modelNeeded'
  else if (taken.includes(name)) errors.name = 'modelTaken'
  for (const field of NEEDED[form.pricing])
    if (parseAmount(form[field]) === undefined) errors[field] = 'numberNeeded'
  for (const field of OPTIONAL[form.pricing]) {
    const problem = problemOf(form[field], form)
    if (problem) errors[field] = problem
  }
  return errors
}

/** A price other than 0 cannot be stored as a ratio to an input price of 0. */
function problemOf(typed: string, { pricing, input }: PriceForm): PriceProblem | undefined {
  if (typed.trim() === '') return undefined
  const amount = parseAmount(typed)
  if (amount === undefined) return 'numberNeeded'
  return pricing === 'byMillion' && amount > 0 && parseAmount(input) === 0 ? 'inputFree' : undefined
}

interface EditedRow {
  readonly row: PriceRow
  readonly defaults: BucketRatios | undefined
}

/** Converts validated values to a row. A price that its default ratio gives stays with the default. */
export function toPriceRow(form: PriceForm, { row, defaults }: EditedRow): PriceRow {
  const empty = newRow(form.name.trim())
  if (form.pricing === 'byCall') return { ...empty, price: parseAmount(form.price) }
  if (form.pricing === 'byToken')
    return {
      ...empty,
      ratio: parseAmount(form.ratio),
      completion: parseAmount(form.completion),
      cache: parseAmount(form.cache),
      cacheWrite: parseAmount(form.cacheWrite),
    }
  const input = parseAmount(form.input) ?? 0
  const ratioOf = (typed: string, bucket: (typeof BUCKET_RATIOS)[number]): number | undefined => {
    const price = parseAmount(typed)
    if (price === undefined || input === 0) return undefined
    const ratio = rounded(price / input)
    return row[bucket] === undefined && ratio === rounded(defaults?.[bucket] ?? Number.NaN)
      ? undefined
      : ratio
  }
  return {
    ...empty,
    ratio: ratioOfDollars(input),
    completion: ratioOf(form.output, 'completion'),
    cache: ratioOf(form.cachedPrice, 'cache'),
    cacheWrite: ratioOf(form.cacheWritePrice, 'cacheWrite'),
  }
}
