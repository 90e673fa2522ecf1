import { BadgeCheck, Check, Pin, PinOff } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { formatDateTime, parseDateTime } from '#console/app/format/format.tsx'
import { choosePageSize, usePageSize } from '#console/app/list/list-search-params.ts'
import { DateTimeInput } from '#console/app/time/date-time-input.tsx'
import { Button, IconButton } from '#console/ui/buttons/buttons.tsx'
import { StatusBadge, type Tone } from '#console/ui/data/badges.tsx'
import { KeyValues } from '#console/ui/data/facts.tsx'
import { SearchBox } from '#console/ui/data/filter/filters.tsx'
import { Pagination } from '#console/ui/data/pagination.tsx'
import { type Column, type RowCard, STATUS_WIDTH } from '#console/ui/data/table/column.ts'
import { DataTable } from '#console/ui/data/table/data-table.tsx'
import { EmptyState, NoResults } from '#console/ui/feedback/feedback.tsx'
import { Checkbox, Field } from '#console/ui/forms/fields.tsx'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import type { PriceUpdate, PriceUpdates } from '../contract.ts'
import { MainDifferences, modelColumn, OldAndNew, useLineName, useMainFacts } from './price-difference.tsx'
import { useApprovePrices, usePinPrices } from './queries.ts'
import { usePriceUpdateText } from './text.ts'

const FACTOR_DIGITS = 3
/** Names in a question; the rest is counted. */
const NAMES_SHOWN = 20

interface PriceProposalsProps {
  readonly updates: PriceUpdates
  /** Nothing can be approved at the moment. */
  readonly isLocked: boolean
}

/** Whether the row proposes a price; others only inform. */
const isApprovable = ({ differences, is_pinned }: PriceUpdate): boolean =>
  differences.length > 0 && !is_pinned

/** The differences of a feed, searchable and paged, with what approves and pins them. */
export function PriceProposals({ updates, isLocked }: PriceProposalsProps) {
  const t = usePriceUpdateText()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [effective, setEffective] = useState('')
  const { approve, isBusy, timeError } = useApproval(updates.revision, effective)
  const list = useShownRows(updates.rows)
  const columns = useColumns()
  const card = useCard()
  const actions = useActions({ approve, isLocked: isLocked || isBusy })
  const detail = useCallback((row: PriceUpdate) => <AllDifferences row={row} />, [])
  const selected = updates.rows.filter(row => chosen.has(row.model) && isApprovable(row))
  const safe = list.found.filter(row => isApprovable(row) && !row.is_suspicious)
  const approveSelected = async () => {
    if (await approve(selected)) setChosen(new Set())
  }
  return (
    <section aria-label={t('differences')} className="grid grid-cols-1 gap-3">
      <h3 className="font-medium">{t('differences')}</h3>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <SearchBox isMono label={t('search')} value={list.typed} onSearch={list.search} />
        <Checkbox checked={list.isServedOnly} onChange={event => list.showServed(event.target.checked)}>
          {t('onlyServed')}
        </Checkbox>
        <Button
          className="ml-auto"
          disabled={safe.length === 0}
          onClick={() => setChosen(new Set(safe.map(rowId)))}
        >
          {t('chooseSafe')}
        </Button>
      </div>
      <DataTable
        label={t('differences')}
        columns={columns}
        rows={list.shown}
        rowId={rowId}
        rowName={rowId}
        card={card}
        actions={actions}
        detail={detail}
        selection={{ ids: chosen, onChange: setChosen }}
        isMuted={isMuted}
        empty={
          updates.rows.length === 0 ? (
            <EmptyState icon={BadgeCheck} title={t('none')} text={t('sourceHelp')} />
          ) : (
            <NoResults title={t('noMatch')} clear={t('clear')} onClear={list.clear} />
          )
        }
      />
      <Pagination {...list.paging} />
      <div className="flex flex-wrap items-start gap-3">
        <div className="w-full sm:w-72">
          <Field label={t('effective')} help={t('effectiveHelp')} error={timeError}>
            {control => <DateTimeInput {...control} value={effective} onChange={setEffective} />}
          </Field>
        </div>
        <Button
          variant="primary"
          icon={Check}
          className="sm:mt-6.5"
          isBusy={isBusy}
          disabled={isLocked || selected.length === 0}
          onClick={() => void approveSelected()}
        >
          {t('approve')}
        </Button>
        <p role="status" className="text-small text-muted sm:mt-8">
          {t('chosen', { count: selected.length })}
        </p>
      </div>
    </section>
  )
}

const rowId = ({ model }: PriceUpdate): string => model
const isMuted = (row: PriceUpdate): boolean => !isApprovable(row)

/** The rows that match the search, by page. */
function useShownRows(rows: readonly PriceUpdate[]) {
  const [typed, setTyped] = useState('')
  const [isServedOnly, setServedOnly] = useState(false)
  const [page, setPage] = useState(1)
  const size = usePageSize()
  const found = useMemo(
    () =>
      rows.filter(
        ({ model, is_served }) =>
          model.toLowerCase().includes(typed.toLowerCase()) && (is_served || !isServedOnly),
      ),
    [rows, typed, isServedOnly],
  )
  const current = Math.min(page, Math.max(Math.ceil(found.length / size), 1))
  const shown = found.slice((current - 1) * size, current * size)
  return {
    found,
    shown,
    typed,
    isServedOnly,
    search: (next: string) => {
      setTyped(next)
      setPage(1)
    },
    showServed: (isOnly: boolean) => {
      setServedOnly(isOnly)
      setPage(1)
    },
    clear: () => {
      setTyped('')
      setServedOnly(false)
    },
    paging: {
      page: current,
      size,
      total: found.length,
      shown: shown.length,
      onPage: setPage,
      onSize: (next: number) => {
        choosePageSize(next)
        setPage(1)
      },
    },
  }
}

/** Approves rows from a time on. Suspicious ones need a confirmation. */
function useApproval(revision: string, effective: string) {
  const t = usePriceUpdateText()
  const { mutateAsync, isPending } = useApprovePrices()
  const isNow = effective.trim() === ''
  const effectiveAt = isNow ? 0 : parseDateTime(effective)
  const approve = useCallback(
    async (rows: readonly PriceUpdate[]): Promise<boolean> => {
      if (effectiveAt === undefined) return false
      const suspicious = rows.filter(({ is_suspicious }) => is_suspicious)
      const names = suspicious.slice(0, NAMES_SHOWN).map(rowId).join(', ')
      const question = {
        title: t('suspiciousTitle', { count: suspicious.length }),
        text: t('suspiciousText', { models: suspicious.length > NAMES_SHOWN ? `${names} …` : names }),
        action: t('approve'),
        isDanger: true,
      }
      if (suspicious.length > 0 && !(await confirm(question))) return false
      try {
        const { count } = await mutateAsync({
          revision,
          models: rows.map(rowId),
          effective_at: effectiveAt,
          with_suspicious: suspicious.length > 0,
        })
        toast('success', isNow ? t('approved', { count }) : t('approvedLater', { count, time: effective }))
        return true
      } catch {
        // The query client has shown the error.
        return false
      }
    },
    [t, revision, effective, effectiveAt, isNow, mutateAsync],
  )
  return {
    approve,
    isBusy: isPending,
    timeError: effectiveAt === undefined ? t('effectiveBad') : undefined,
  }
}

const STATUS_TONES: Readonly<Record<PriceUpdate['status'], Tone>> = {
  new: 'info',
  dearer: 'warning',
  cheaper: 'success',
  changed: 'warning',
  retired: 'neutral',
  renamed: 'neutral',
  missing: 'unknown',
}

interface RowProps {
  readonly row: PriceUpdate
}

function ChangeBadges({ row }: RowProps) {
  const t = usePriceUpdateText()
  return (
    <span className="inline-flex flex-wrap items-center gap-1">
      {row.is_suspicious && (
        <StatusBadge tone="danger" mark="triangle" reason={t('suspiciousReason')}>
          {t('suspicious')}
        </StatusBadge>
      )}
      <StatusBadge tone={STATUS_TONES[row.status]} mark="none">
        {t(row.status)}
      </StatusBadge>
      {row.is_pinned && (
        <StatusBadge tone="neutral" mark="hollow">
          {t('pinned')}
        </StatusBadge>
      )}
      {row.scheduled_at > 0 && (
        <StatusBadge tone="info" mark="clock">
          {t('scheduled', { time: formatDateTime(row.scheduled_at) })}
        </StatusBadge>
      )}
    </span>
  )
}

/** The first prices that differ, or what the feed says of a model that keeps its price. */
function Prices({ row }: RowProps) {
  const t = usePriceUpdateText()
  const { retires, successor } = row
  const facts = [
    retires !== undefined && t('retires', { day: retires }),
    successor !== undefined && t('successor', { model: successor }),
  ].filter(Boolean)
  return (
    <span className="inline-flex flex-wrap items-baseline gap-x-4">
      <MainDifferences differences={row.differences} />
      {facts.length > 0 && <span className="text-caption text-muted">{facts.join(' · ')}</span>}
    </span>
  )
}

/** `×0.5`: how many times the old price the new one is. */
const Factor = ({ row: { factor, is_suspicious } }: RowProps) =>
  factor === undefined ? (
    '-'
  ) : (
    <span className={is_suspicious ? 'font-medium text-danger' : undefined}>
      ×{Number(factor.toPrecision(FACTOR_DIGITS))}
    </span>
  )

function useColumns(): ReadonlyArray<Column<PriceUpdate>> {
  const t = usePriceUpdateText()
  return useMemo(
    () => [
      modelColumn(t('model')),
      { id: 'change', header: t('change'), width: STATUS_WIDTH, cell: row => <ChangeBadges row={row} /> },
      { id: 'prices', header: t('prices'), cell: row => <Prices row={row} /> },
      { id: 'factor', header: t('factor'), align: 'end', cell: row => <Factor row={row} /> },
    ],
    [t],
  )
}

function useCard(): RowCard<PriceUpdate> {
  const t = usePriceUpdateText()
  const facts = useMainFacts()
  return useMemo(
    () => ({
      title: ({ model }) => <code className="font-mono text-small break-all">{model}</code>,
      status: row => <ChangeBadges row={row} />,
      facts: row => [...facts(row.differences), { label: t('factor'), value: <Factor row={row} /> }],
    }),
    [t, facts],
  )
}

interface ActionsOptions {
  readonly approve: (rows: readonly PriceUpdate[]) => Promise<boolean>
  readonly isLocked: boolean
}

function useActions({ approve, isLocked }: ActionsOptions) {
  const t = usePriceUpdateText()
  const { mutate: pin } = usePinPrices()
  return useCallback(
    (row: PriceUpdate) => (
      <>
        <IconButton
          label={t('approveOf', { model: row.model })}
          icon={Check}
          size="small"
          disabled={isLocked || !isApprovable(row)}
          onClick={() => void approve([row])}
        />
        <IconButton
          label={t(row.is_pinned ? 'unpin' : 'pin', { model: row.model })}
          icon={row.is_pinned ? PinOff : Pin}
          size="small"
          onClick={() => pin({ models: [row.model], is_pinned: !row.is_pinned })}
        />
      </>
    ),
    [t, isLocked, approve, pin],
  )
}

/** Every price of a model that differs. */
function AllDifferences({ row }: RowProps) {
  const lineName = useLineName()
  const items = row.differences.map(difference => ({
    label: lineName(difference.line),
    value: <OldAndNew difference={difference} />,
  }))
  return (
    <div className="px-4 py-3 max-sm:px-0">
      <KeyValues items={items} />
    </div>
  )
}
