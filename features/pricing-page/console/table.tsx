import { Tags } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import { formatPrice } from '#console/app/format/format.tsx'
import { copyText } from '#console/ui/buttons/buttons.tsx'
import { StatusBadge, Tag } from '#console/ui/data/badges.tsx'
import type { Column, RowCard, Selection, Sort } from '#console/ui/data/table/column.ts'
import { DataTable } from '#console/ui/data/table/data-table.tsx'
import { EmptyState, NoResults } from '#console/ui/feedback/feedback.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import type { PricingRow } from '../contract.ts'
import {
  bucketPrice,
  bucketRatios,
  callPrice,
  contextText,
  isAvailable,
  isPricedByCall,
  MAIN_BUCKETS,
  modelProvider,
  type PriceBucket,
} from './prices.ts'
import type { Pricing } from './queries.ts'
import { SORTS } from './search-params.ts'
import { useScreenText } from './text.ts'

interface PricingTableProps {
  readonly pricing: Pricing
  readonly selection: Selection
}

export function PricingTable({ pricing, selection }: PricingTableProps) {
  const t = useScreenText()
  const { url, pageRows, prices, group, all } = pricing
  const { search, set, setFilter } = url
  const columns = usePricingColumns(pricing)
  const card = usePricingCard(pricing)
  const open = useCallback((row: PricingRow) => set({ model: row.model_name }, { push: true }), [set])
  const sort: Sort | undefined =
    search.sort === ''
      ? undefined
      : { key: search.sort.replace('-', ''), isDescending: search.sort.startsWith('-') }
  const setSort = (next: Sort | undefined) => {
    const value = next ? `${next.isDescending ? '-' : ''}${next.key}` : ''
    setFilter({ sort: SORTS.find(known => known === value) ?? '' })
  }
  return (
    <DataTable
      label={t('title')}
      columns={columns}
      rows={prices.data && pageRows}
      rowId={rowName}
      rowName={rowName}
      card={card}
      selection={selection}
      sort={sort}
      onSort={setSort}
      isMuted={row => !isAvailable(row, group)}
      openId={search.model}
      onOpen={open}
      empty={
        all.length === 0 ? (
          <NoneYet />
        ) : (
          <NoResults
            title={t('noneFound')}
            clear={t('clearSearch')}
            onClear={() => setFilter({ q: '', provider: '', kind: '' })}
          />
        )
      }
    />
  )
}

const rowName = (row: PricingRow): string => row.model_name

/** Whose model it is, how much it reads, and what besides text. */
function ModelFacts({ row }: { readonly row: PricingRow }) {
  const t = useScreenText()
  const { model_name, context_window, input_modalities = [] } = row
  const media = input_modalities.filter(modality => modality !== 'text').map(modality => t(modality))
  const facts = [
    modelProvider(model_name) || t('otherProvider'),
    context_window && t('context', { tokens: contextText(context_window) }),
    media.join(t('listComma')),
  ]
  return <span className="block text-caption text-muted">{facts.filter(Boolean).join(' · ')}</span>
}

/** The model name; opens the sheet of the model. */
function ModelName({ row, onOpen }: { readonly row: PricingRow; readonly onOpen: () => void }) {
  const t = useScreenText()
  return (
    <button
      type="button"
      aria-label={t('details', { name: row.model_name })}
      onClick={onOpen}
      className="max-w-72 truncate rounded-control text-left font-mono text-small touch-target hover:text-accent hover:underline"
    >
      {row.model_name}
    </button>
  )
}

function CopyTag({ name }: { readonly name: string }) {
  const t = useScreenText()
  const copy = async () => {
    if (await copyText(name)) toast('success', t('copied', { name }))
  }
  return (
    <Tag isMono hint={t('copyName')} onClick={() => void copy()}>
      {name}
    </Tag>
  )
}

function usePricingColumns(pricing: Pricing): ReadonlyArray<Column<PricingRow>> {
  const t = useScreenText()
  const { url, group, prices } = pricing
  const { set } = url
  const { unit } = url.search
  const ratio = pricing.groupRatio(group)
  const usable = prices.data?.ratios
  return useMemo(
    () => [
      {
        id: 'model',
        header: t('model'),
        isFixed: true,
        sortKey: 'name',
        cell: row => (
          <span className="block py-1">
            <ModelName row={row} onOpen={() => set({ model: row.model_name }, { push: true })} />
            <ModelFacts row={row} />
          </span>
        ),
      },
      {
        id: 'availability',
        header: t('availability'),
        cell: row => <AvailabilityBadge row={row} group={group} />,
      },
      { id: 'kind', header: t('kind'), isWide: true, cell: row => <BillingBadge row={row} /> },
      {
        id: 'input',
        header: unit === 'price' ? `${t('input')} ${t('perMillionShort')}` : t('modelRatio'),
        align: 'end',
        sortKey: 'input',
        cell: row => <PriceText row={row} ratio={ratio} of="input" unit={unit} />,
      },
      {
        id: 'output',
        header: unit === 'price' ? `${t('output')} ${t('perMillionShort')}` : t('completionRatio'),
        align: 'end',
        sortKey: 'output',
        cell: row => <PriceText row={row} ratio={ratio} of="output" unit={unit} />,
      },
      ...(['cached', 'cacheWrite'] as const).map(bucket => ({
        id: bucket,
        isWide: true,
        header: unit === 'price' ? `${t(bucket)} ${t('perMillionShort')}` : t(`${bucket}Ratio`),
        align: 'end' as const,
        cell: (row: PricingRow) => <PriceText row={row} ratio={ratio} of={bucket} unit={unit} />,
      })),
      {
        id: 'groups',
        isWide: true,
        header: t('groups'),
        cell: row => (
          <GroupTags
            groups={row.enable_groups}
            usable={usable ?? {}}
            onChoose={chosen => set({ group: chosen })}
          />
        ),
      },
      { id: 'name', header: t('copyName'), isExtra: true, cell: row => <CopyTag name={row.model_name} /> },
    ],
    [t, set, unit, group, ratio, usable],
  )
}

function usePricingCard(pricing: Pricing): RowCard<PricingRow> {
  const t = useScreenText()
  const { url, group } = pricing
  const { set } = url
  const { unit } = url.search
  const ratio = pricing.groupRatio(group)
  return useMemo(
    () => ({
      title: row => <ModelName row={row} onOpen={() => set({ model: row.model_name }, { push: true })} />,
      subtitle: row => <ModelFacts row={row} />,
      status: row => <AvailabilityBadge row={row} group={group} />,
      facts: row => [
        ...MAIN_BUCKETS.map(bucket => ({
          label: t(bucket),
          value: <PriceText row={row} ratio={ratio} of={bucket} unit={unit} />,
        })),
        { label: t('kind'), value: <BillingBadge row={row} /> },
      ],
    }),
    [t, set, unit, group, ratio],
  )
}

function NoneYet() {
  const t = useScreenText()
  return <EmptyState icon={Tags} title={t('none')} text={t('noneHelp')} />
}

/** The models as cards, for browsing rather than comparing. */
export function PricingCards({ pricing }: { readonly pricing: Pricing }) {
  const t = useScreenText()
  const { pageRows, group, url } = pricing
  const ratio = pricing.groupRatio(group)
  const { unit } = url.search
  return (
    <ul aria-label={t('title')} className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3 2xl:grid-cols-4">
      {pageRows.map(row => (
        <li key={row.model_name}>
          <button
            type="button"
            aria-label={t('details', { name: row.model_name })}
            onClick={() => url.set({ model: row.model_name }, { push: true })}
            className="grid h-full w-full content-start gap-3 rounded-card border border-line bg-surface p-4 text-left hover:border-line-strong hover:bg-hover"
          >
            <span className="flex min-w-0 items-start justify-between gap-2">
              <span className="min-w-0">
                <span className="block truncate font-mono text-small font-medium">{row.model_name}</span>
                <ModelFacts row={row} />
              </span>
              <BillingBadge row={row} />
            </span>
            <span className="grid grid-cols-2 gap-2 text-small">
              {MAIN_BUCKETS.filter(bucket => bucket === 'input' || !isPricedByCall(row)).map(bucket => (
                <span key={bucket}>
                  <span className="block text-caption text-muted">{t(bucket)}</span>
                  <PriceText row={row} ratio={ratio} of={bucket} unit={unit} />
                </span>
              ))}
            </span>
            <span>
              <AvailabilityBadge row={row} group={group} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}

/** Ratios have nine digits, of which products may lose the last. */
const RATIO_DIGITS = 8

export const ratioText = (ratio: number): string => String(Number(ratio.toPrecision(RATIO_DIGITS)))

interface PriceProps {
  readonly row: PricingRow
  readonly ratio: number
  readonly of: PriceBucket
  readonly unit: 'price' | 'ratio'
}

/** The price per million tokens or per call, or the ratio behind it. */
export function PriceText({ row, ratio, of, unit }: PriceProps) {
  const t = useScreenText()
  const language = useLanguage()
  if (isPricedByCall(row)) {
    if (of !== 'input') return '-'
    const call = callPrice(row, unit === 'price' ? ratio : 1)
    return (
      <span className="tabular">
        {formatPrice(call, language)} <span className="text-caption text-muted">{t('perCall')}</span>
      </span>
    )
  }
  if (unit === 'ratio') {
    const figure = of === 'input' ? row.model_ratio : bucketRatios(row)[of]
    return figure === undefined ? '-' : <span className="tabular">{ratioText(figure)}</span>
  }
  const price = bucketPrice(row, of, ratio)
  return price === undefined ? '-' : <span className="tabular">{formatPrice(price, language)}</span>
}

export function BillingBadge({ row }: { readonly row: PricingRow }) {
  const t = useScreenText()
  return (
    <StatusBadge tone={isPricedByCall(row) ? 'info' : 'neutral'} mark="none">
      {t(isPricedByCall(row) ? 'byCall' : 'byTokens')}
    </StatusBadge>
  )
}

interface AvailabilityProps {
  readonly row: PricingRow
  readonly group: string
}

const GOOD = 0.99
const FAIR = 0.95

/** Whether the group may call the model, and which share of the last day's requests succeeded. */
export function AvailabilityBadge({ row, group }: AvailabilityProps) {
  const t = useScreenText()
  const { availability: share } = row
  if (!isAvailable(row, group))
    return (
      <StatusBadge tone="neutral" mark="hollow">
        {t('unavailable')}
      </StatusBadge>
    )
  if (share === undefined) return <StatusBadge tone="success">{t('available')}</StatusBadge>
  const percent = `${(Math.floor(share * 1000) / 10).toFixed(1)}%`
  return (
    <span title={t('availableShare', { percent })}>
      <StatusBadge tone={share >= GOOD ? 'success' : share >= FAIR ? 'warning' : 'danger'}>
        {t('availableDay', { percent })}
      </StatusBadge>
    </span>
  )
}

interface GroupTagsProps {
  readonly groups: readonly string[]
  /** The groups that the user may choose, with their ratios. */
  readonly usable: Readonly<Record<string, number>>
  readonly onChoose: (group: string) => void
}

/** The groups that can call a model. Choosing one shows its prices on the whole page. */
function GroupTags({ groups, usable, onChoose }: GroupTagsProps) {
  const t = useScreenText()
  return (
    <span className="flex w-max max-w-72 flex-wrap gap-1.5">
      {groups.map(group => (
        <Tag
          key={group}
          hasSwatch
          {...(Object.hasOwn(usable, group) && { onClick: () => onChoose(group), hint: t('chooseGroup') })}
        >
          {group}
        </Tag>
      ))}
    </span>
  )
}
