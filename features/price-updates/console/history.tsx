import { useQuery } from '@tanstack/react-query'
import { History, Undo2 } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import { formatDateTime, TimeText } from '#console/app/format/format.tsx'
import { ListSection, usePages } from '#console/app/list/list-section.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { StatusBadge, type Tone } from '#console/ui/data/badges.tsx'
import { type Column, type RowCard, STATUS_WIDTH } from '#console/ui/data/table/column.ts'
import { EmptyState } from '#console/ui/feedback/feedback.tsx'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import type { PriceChange } from '../contract.ts'
import { MainDifferences, modelColumn, useMainFacts } from './price-difference.tsx'
import { priceChangesQuery, useUndoPrices } from './queries.ts'
import { usePriceUpdateText } from './text.ts'

interface PriceHistoryProps {
  /** Nothing can be undone at the moment. */
  readonly isLocked: boolean
}

/** Approved prices with who approved them and when. An approval is undone as a whole. */
export function PriceHistory({ isLocked }: PriceHistoryProps) {
  const t = usePriceUpdateText()
  const pages = usePages()
  const query = useQuery(priceChangesQuery(pages.page, pages.size))
  const columns = useColumns()
  const card = useCard()
  const actions = useUndo({ isLocked })
  return (
    <ListSection
      label={t('history')}
      heading={<h3 className="font-medium">{t('history')}</h3>}
      pages={pages}
      query={query}
      columns={columns}
      rowId={rowId}
      rowName={rowName}
      card={card}
      actions={actions}
      empty={<EmptyState icon={History} title={t('historyNone')} text={t('historyHelp')} />}
    />
  )
}

const rowId = ({ id }: PriceChange): string => String(id)
const rowName = ({ model }: PriceChange): string => model

const STATES = {
  scheduled: ['stateScheduled', 'info'],
  applied: ['stateApplied', 'success'],
  undone: ['stateUndone', 'neutral'],
  cancelled: ['stateCancelled', 'neutral'],
  failed: ['stateFailed', 'danger'],
} as const satisfies Readonly<Record<PriceChange['status'], readonly [string, Tone]>>

function State({ change: { status, effective_at } }: { readonly change: PriceChange }) {
  const t = usePriceUpdateText()
  const [text, tone] = STATES[status]
  return (
    <span className="inline-flex flex-wrap items-center gap-1">
      <StatusBadge tone={tone} mark={status === 'scheduled' ? 'clock' : 'filled'}>
        {t(text)}
      </StatusBadge>
      {status === 'scheduled' && (
        <span className="text-caption text-muted">
          {t('scheduled', { time: formatDateTime(effective_at) })}
        </span>
      )}
    </span>
  )
}

function useColumns(): ReadonlyArray<Column<PriceChange>> {
  const t = usePriceUpdateText()
  return useMemo(
    () => [
      modelColumn(t('model')),
      { id: 'state', header: t('state'), width: STATUS_WIDTH, cell: change => <State change={change} /> },
      {
        id: 'prices',
        header: t('prices'),
        cell: ({ differences }) => <MainDifferences differences={differences} />,
      },
      {
        id: 'time',
        header: t('time'),
        cell: ({ created_at }) => <TimeText unixSeconds={created_at} />,
      },
      { id: 'by', header: t('by'), cell: ({ username }) => username },
      {
        id: 'from',
        header: t('from'),
        cell: ({ source }) => (
          <span className="block max-w-60 truncate" title={source}>
            {source}
          </span>
        ),
      },
    ],
    [t],
  )
}

function useCard(): RowCard<PriceChange> {
  const t = usePriceUpdateText()
  const facts = useMainFacts()
  return useMemo(
    () => ({
      title: ({ model }) => <code className="font-mono text-small break-all">{model}</code>,
      status: change => <State change={change} />,
      facts: ({ differences, created_at, username, source }) => [
        ...facts(differences),
        { label: t('time'), value: <TimeText unixSeconds={created_at} /> },
        { label: t('by'), value: username },
        { label: t('from'), value: source },
      ],
    }),
    [t, facts],
  )
}

/** The button that undoes the approval that a change belongs to. */
function useUndo({ isLocked }: PriceHistoryProps) {
  const t = usePriceUpdateText()
  const { mutate, isPending } = useUndoPrices()
  return useCallback(
    ({ status, batch, model }: PriceChange) => {
      if (status !== 'applied' && status !== 'scheduled') return null
      const undo = async () => {
        const question = { title: t('undoTitle'), text: t('undoText'), action: t('undo'), isDanger: true }
        if (!(await confirm(question))) return
        mutate(batch, { onSuccess: ({ count }) => toast('success', t('undone', { count })) })
      }
      return (
        <Button
          size="small"
          icon={Undo2}
          aria-label={t('undoOf', { model })}
          disabled={isLocked || isPending}
          onClick={() => void undo()}
        >
          {t('undo')}
        </Button>
      )
    },
    [t, isLocked, isPending, mutate],
  )
}
