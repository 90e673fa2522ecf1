import { Tags } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import type { PricingRow } from '#contract/pricing.ts'
import { copyText } from '../../ui/copy-text.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { NoneFound } from '../../ui/none-found.tsx'
import type { Column, RowCard, Selection, Sort } from '../../ui/table/column.ts'
import { DataTable } from '../../ui/table/data-table.tsx'
import { Tag } from '../../ui/tag.tsx'
import { useText } from '../../ui/text.ts'
import { toast } from '../../ui/toast.ts'
import { GroupTags, KindBadge, OfferBadge, PriceText } from './price-cells.tsx'
import { isOffered } from './prices.ts'
import { SORTS } from './search.ts'
import { text } from './text.ts'
import type { Pricing } from './use-pricing.ts'

interface PricingTableProps {
  readonly pricing: Pricing
  readonly selection: Selection
}

export function PricingTable({ pricing, selection }: PricingTableProps) {
  const t = useText(text)
  const { url, shown, prices, group, all } = pricing
  const { search, set, setFilter } = url
  const columns = usePricingColumns(pricing)
  const card = usePricingCard(pricing)
  const open = useCallback((row: PricingRow) => set({ model: row.model_name }, { push: true }), [set])
  const sort: Sort | undefined =
    search.sort === ''
      ? undefined
      : { key: search.sort.replace('-', ''), isDescending: search.sort.startsWith('-') }
  const setSort = (next: Sort | undefined) => {
    const wanted = next ? `${next.isDescending ? '-' : ''}${next.key}` : ''
    setFilter({ sort: SORTS.find(known => known === wanted) ?? '' })
  }
  return (
    <DataTable
      label={t('title')}
      columns={columns}
      rows={prices.data && shown}
      rowId={nameOf}
      rowName={nameOf}
      card={card}
      selection={selection}
      sort={sort}
      onSort={setSort}
      isMuted={row => !isOffered(row, group)}
      openId={search.model}
      onOpen={open}
      empty={
        all.length === 0 ? (
          <NoneYet />
        ) : (
          <NoneFound
            title={t('noneFound')}
            clear={t('clearSearch')}
            onClear={() => setFilter({ q: '', provider: '', kind: '' })}
          />
        )
      }
    />
  )
}

const nameOf = (row: PricingRow): string => row.model_name

/** Opens the sheet of a model; its name is copied beside it. */
function ModelCell({ row, onOpen }: { readonly row: PricingRow; readonly onOpen: () => void }) {
  const t = useText(text)
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
  const t = useText(text)
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
  const t = useText(text)
  const { url, group, prices } = pricing
  const { set } = url
  const { unit } = url.search
  const ratio = pricing.ratioOf(group)
  const usable = prices.data?.ratios
  return useMemo(
    () => [
      {
        id: 'model',
        header: t('model'),
        isFixed: true,
        sortKey: 'name',
        cell: row => <ModelCell row={row} onOpen={() => set({ model: row.model_name }, { push: true })} />,
      },
      { id: 'availability', header: t('availability'), cell: row => <OfferBadge row={row} group={group} /> },
      { id: 'kind', header: t('kind'), cell: row => <KindBadge row={row} /> },
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
      {
        id: 'groups',
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
  const t = useText(text)
  const { url, group } = pricing
  const { set } = url
  const { unit } = url.search
  const ratio = pricing.ratioOf(group)
  return useMemo(
    () => ({
      title: row => <ModelCell row={row} onOpen={() => set({ model: row.model_name }, { push: true })} />,
      status: row => <OfferBadge row={row} group={group} />,
      facts: row => [
        { label: t('input'), value: <PriceText row={row} ratio={ratio} of="input" unit={unit} /> },
        { label: t('output'), value: <PriceText row={row} ratio={ratio} of="output" unit={unit} /> },
        { label: t('kind'), value: <KindBadge row={row} /> },
      ],
    }),
    [t, set, unit, group, ratio],
  )
}

function NoneYet() {
  const t = useText(text)
  return <EmptyState icon={Tags} title={t('none')} text={t('noneHelp')} />
}
