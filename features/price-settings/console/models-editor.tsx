import { useQuery } from '@tanstack/react-query'
import { Download, Plus, RotateCcw, Upload } from 'lucide-react'
import { Suspense, useCallback, useRef, useState } from 'react'
import { z } from 'zod'
import { LoadError } from '#console/app/api/load-error.tsx'
import { filledSlots } from '#console/app/filled-slots.ts'
import { downloadText, toCsv } from '#console/app/list/csv.ts'
import { useSearchParams } from '#console/app/router/search-params.ts'
import { OptionField, OptionFields } from '#console/app/settings/fields.tsx'
import { useOptionForm } from '#console/app/settings/form.ts'
import { parseAmount } from '#console/app/settings/parse-amount.ts'
import { PRICE_OPTION_KEYS } from '#console/app/settings/price-options.ts'
import { SaveActions } from '#console/app/settings/save-actions.tsx'
import { useSettingsText } from '#console/app/settings/text.ts'
import { useShortcut } from '#console/app/shell/shortcuts.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { SearchBox } from '#console/ui/data/filter/filters.tsx'
import { Pagination } from '#console/ui/data/pagination.tsx'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { Checkbox, SegmentedChoice } from '#console/ui/forms/fields.tsx'
import { InputField } from '#console/ui/forms/labelled-inputs.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import { BrokenOptions } from './broken-options.tsx'
import {
  CSV_HEAD,
  csvLine,
  newRow,
  PRICE_TABLE_KEYS,
  type PriceRow,
  type PriceTables,
  parseCsv,
  priceRow,
  priceRows,
  readPriceTables,
  servedFirst,
  similarPrice,
  unpricedModels,
  withoutModel,
  withRow,
} from './model-prices.ts'
import { BUCKETS, ModelRow } from './model-row.tsx'
import { stringifyTable } from './option-table.ts'
import { priceWords } from './price-words.ts'
import { defaultRatiosQuery, servedModelsQuery, unpricedModelsQuery, useResetModelRatios } from './queries.ts'
import { usePriceSettingsText } from './text.ts'

const views = filledSlots('settingsSections').flatMap(slot =>
  slot.kind === 'view' && slot.section === 'models' ? [{ ...slot, ...lazyPart(slot.load) }] : [],
)

/** Which list of prices a link opens. */
const PriceSearch = z.object({ prices: z.string().catch('').default('') })

/** Edits model prices as a table, as a list of models without a price, as JSON, or in a view of another feature. */
export function ModelsEditor() {
  const t = usePriceSettingsText()
  const s = useSettingsText()
  const language = useLanguage()
  const { currentValue, set } = useOptionForm()
  const [mode, setMode] = useState(useSearchParams(PriceSearch).prices || 'table')
  const tables = readPriceTables(currentValue)
  const view = views.find(({ id }) => id === mode)
  const change = (next: PriceTables) => {
    for (const [name, key] of PRICE_TABLE_KEYS)
      if (next[name] !== tables?.[name]) set(key, stringifyTable(next[name]))
  }
  return (
    <>
      <div className="flex flex-wrap items-end justify-between gap-3">
        <SegmentedChoice
          label={s('look')}
          value={mode}
          options={[
            { value: 'table', label: t('modelTable') },
            { value: 'unpriced', label: t('unpriced') },
            ...views.map(({ id, title }) => ({ value: id, label: title[language] })),
            { value: 'json', label: s('asJson') },
          ]}
          onChange={setMode}
        />
        {mode === 'json' && <ResetRatios />}
      </div>
      {mode === 'json' && PRICE_OPTION_KEYS.map(key => <OptionField key={key} optionKey={key} />)}
      {view && (
        <Suspense fallback={<Skeleton className="h-40 w-full" />}>
          <view.Part />
        </Suspense>
      )}
      {(mode === 'table' || mode === 'unpriced') && !tables && <BrokenOptions keys={PRICE_OPTION_KEYS} />}
      {mode === 'table' && tables && <PriceTable tables={tables} onChange={change} />}
      {mode === 'unpriced' && tables && <UnpricedModels tables={tables} onChange={change} />}
      {view ? <OptionFields keys={view.keys} /> : <SaveActions step="edit" keys={PRICE_OPTION_KEYS} />}
    </>
  )
}

/** Resets the model ratios to their defaults after a confirmation. */
export function ResetRatios() {
  const t = usePriceSettingsText()
  const { reset: forget } = useOptionForm()
  const reset = useResetModelRatios()
  const ask = async () => {
    const question = { title: t('resetTitle'), text: t('resetText'), action: t('reset'), isDanger: true }
    if (!(await confirm(question))) return
    reset.mutate(undefined, {
      onSuccess: () => {
        forget('ModelRatio')
        toast('success', t('resetDone'))
      },
    })
  }
  return (
    <Button icon={RotateCcw} variant="danger-text" isBusy={reset.isPending} onClick={() => void ask()}>
      {t('reset')}
    </Button>
  )
}

interface UnpricedModelsProps {
  readonly tables: PriceTables
  readonly onChange: (tables: PriceTables) => void
}

/** Models of enabled channels without a price: the prices of models with similar names, or one ratio for several of them. */
export function UnpricedModels({ tables, onChange }: UnpricedModelsProps) {
  const t = usePriceSettingsText()
  const { data: models, error, isFetching, refetch } = useQuery(unpricedModelsQuery)
  const [skipped, setSkipped] = useState<ReadonlySet<string>>(new Set())
  const [typed, setTyped] = useState('1')
  const [isTried, setTried] = useState(false)
  const { data: defaults } = useQuery(defaultRatiosQuery)
  if (error) return <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />
  if (!models) return <Skeleton className="h-24 w-full" />
  const unpriced = unpricedModels(models, tables)
  if (unpriced.length === 0) return <p className="text-muted">{t('unpricedNone')}</p>
  const chosen = unpriced.filter(model => !skipped.has(model))
  const proposals = new Map(unpriced.map(model => [model, similarPrice(model, tables, defaults)]))
  const proposed = chosen.flatMap(model => proposals.get(model)?.row ?? [])
  const ratio = parseAmount(typed)
  const fill = () => {
    setTried(true)
    if (ratio === undefined) return
    const rows = chosen.map(name => ({ ...priceRow(tables, name), ratio }))
    onChange(rows.reduce(withRow, tables))
  }
  const toggle = (model: string, isChosen: boolean) => {
    const next = new Set(skipped)
    if (isChosen) next.delete(model)
    else next.add(model)
    setSkipped(next)
  }
  return (
    <>
      <p className="text-small text-muted">{t('unpricedHelp')}</p>
      <ul className="grid gap-2 sm:grid-cols-2">
        {unpriced.map(model => (
          <li key={model} className="min-w-0">
            <Checkbox checked={!skipped.has(model)} onChange={event => toggle(model, event.target.checked)}>
              <code className="font-mono text-small break-all">{model}</code>
            </Checkbox>
            <Proposal proposal={proposals.get(model)} />
          </li>
        ))}
      </ul>
      {proposed.length > 0 && (
        <div>
          <Button variant="primary" onClick={() => onChange(proposed.reduce(withRow, tables))}>
            {t('takeProposals', { count: proposed.length })}
          </Button>
        </div>
      )}
      <div className="flex items-start gap-2">
        <div className="w-60">
          <InputField
            label={t('unpricedFill', { count: chosen.length })}
            error={isTried && ratio === undefined ? t('numberNeeded') : undefined}
            inputMode="decimal"
            className="tabular"
            value={typed}
            onChange={event => setTyped(event.target.value)}
          />
        </div>
        <Button className="mt-6.5" disabled={chosen.length === 0} onClick={fill}>
          {t('fill')}
        </Button>
      </div>
    </>
  )
}

/** What a model would cost at the price of a similar one. */
function Proposal({ proposal }: { readonly proposal: ReturnType<typeof similarPrice> }) {
  const t = usePriceSettingsText()
  const language = useLanguage()
  if (!proposal) return <p className="pl-6.5 text-caption text-subtle">{t('noProposal')}</p>
  const { of, row } = proposal
  return (
    <p className="pl-6.5 text-caption text-muted">
      {t('proposal', { of, price: priceWords(row, t, language) })}
    </p>
  )
}

const dialog = lazyPart(async () => (await import('./price-dialog.tsx')).PriceDialog)

const FIRST_SIZE = 10
const NEW_ROW = newRow('')
const NONE: ReadonlySet<string> = new Set()

interface PriceTableProps {
  readonly tables: PriceTables
  readonly onChange: (tables: PriceTables) => void
}

/** All models with their prices, paged. */
export function PriceTable({ tables, onChange }: PriceTableProps) {
  const t = usePriceSettingsText()
  const [typed, setTyped] = useState('')
  const [page, setPage] = useState(1)
  const [size, setSize] = useState(FIRST_SIZE)
  const [open, setOpen] = useState<PriceRow>()
  const add = useCallback(() => setOpen(NEW_ROW), [])
  useShortcut('n', t('addModel'), add)
  const { data: defaults, isPending } = useQuery(defaultRatiosQuery)
  const { data: served = NONE } = useQuery(servedModelsQuery)
  const all = servedFirst(priceRows(tables), served)
  const found = all.filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase()))
  const last = Math.max(Math.ceil(found.length / size), 1)
  const shown = found.slice((Math.min(page, last) - 1) * size).slice(0, size)
  const search = (next: string) => {
    setTyped(next)
    setPage(1)
  }
  const remove = (name: string) => {
    onChange(withoutModel(tables, name))
    toast('success', t('removedModel', { name }))
  }
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <SearchBox isMain isMono label={t('searchModel')} value={typed} onSearch={search} />
        <span className="ml-auto flex flex-wrap gap-2">
          <CsvButtons rows={all} tables={tables} onChange={onChange} />
          <Button icon={Plus} onPointerEnter={dialog.preload} onFocus={dialog.preload} onClick={add}>
            {t('addModel')}
          </Button>
        </span>
      </div>
      {shown.length === 0 && <p className="text-muted">{t('noModels')}</p>}
      {shown.length > 0 && (
        <div className="overflow-x-auto rounded-card border border-line">
          <table className="w-full text-small tabular">
            <thead className="text-caption text-muted">
              <tr>
                <th scope="col" className="px-3 py-2 text-left font-medium">
                  {t('model')}
                </th>
                {BUCKETS.map(bucket => (
                  <th key={bucket} scope="col" className="px-3 py-2 text-right font-medium whitespace-nowrap">
                    {t(`${bucket}PerMillion`)}
                  </th>
                ))}
                <td />
              </tr>
            </thead>
            <tbody>
              {shown.map(row => (
                <ModelRow
                  key={row.name}
                  row={row}
                  defaults={defaults?.get(row.name)}
                  isServed={served.has(row.name)}
                  onEdit={() => setOpen(row)}
                  onRemove={() => remove(row.name)}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Pagination
        page={Math.min(page, last)}
        size={size}
        total={found.length}
        shown={shown.length}
        onPage={setPage}
        onSize={next => {
          setSize(next)
          setPage(1)
        }}
      />
      <Suspense fallback={null}>
        {open && !isPending && (
          <dialog.Part
            row={open}
            tables={tables}
            defaults={defaults}
            onApply={row => {
              onChange(withRow(tables, row))
              setOpen(undefined)
            }}
            onClose={() => setOpen(undefined)}
          />
        )}
      </Suspense>
    </>
  )
}

interface CsvButtonsProps extends PriceTableProps {
  readonly rows: readonly PriceRow[]
}

function CsvButtons({ rows, tables, onChange }: CsvButtonsProps) {
  const t = usePriceSettingsText()
  const picker = useRef<HTMLInputElement>(null)
  const load = async (file: File) => {
    const result = parseCsv(await file.text())
    if ('badLine' in result) return toast('error', t('importFailed', { line: result.badLine }))
    const { rows: read, hasCache } = result
    const kept = ({ name, ...row }: PriceRow): PriceRow => {
      const { cache, cacheWrite } = priceRow(tables, name)
      return { ...row, name, cache, cacheWrite }
    }
    onChange((hasCache ? read : read.map(kept)).reduce(withRow, tables))
    toast('success', t('imported', { count: result.rows.length }))
  }
  return (
    <>
      <input
        ref={picker}
        type="file"
        accept=".csv,text/csv"
        hidden
        aria-label={t('importCsv')}
        onChange={event => {
          const [file] = event.target.files ?? []
          event.target.value = ''
          if (file) void load(file)
        }}
      />
      <Button icon={Upload} onClick={() => picker.current?.click()}>
        {t('importCsv')}
      </Button>
      <Button
        icon={Download}
        onClick={() => downloadText('model-prices.csv', toCsv([CSV_HEAD, ...rows.map(csvLine)]), 'text/csv')}
      >
        {t('exportCsv')}
      </Button>
    </>
  )
}
