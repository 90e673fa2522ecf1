import { useQuery } from '@tanstack/react-query'
import type { LogEntry } from '#contract/logs/logs.ts'
import { errorText } from '../../../app/api/call.ts'
import { formatDateTime } from '../../../app/time/time.tsx'
import { useSetSearchParams } from '../../../app/router/search-params.ts'
import { Banner } from '../../../ui/feedback/banner.tsx'
import { Sheet, type PreviousNext, SectionAnchors } from '../../../ui/overlays/sheet.tsx'
import { Skeleton } from '../../../ui/feedback/progress.tsx'
import { useText } from '../../../ui/text/text.ts'
import { TypeBadge } from '../cells.tsx'
import { rowQuery } from '../queries.ts'
import { toRow } from '../row.ts'
import { LogSearch } from '../search.ts'
import { text } from '../text.ts'
import { BillSection } from './bill-section.tsx'
import { CandidatesSection } from './candidates.tsx'
import { OverviewSection } from './overview-section.tsx'
import { RawSection } from './raw-section.tsx'
import { RoutingSection } from './routing-section.tsx'

interface LogSheetProps {
  readonly id: number
  /** The page behind: its rows are the neighbours. */
  readonly entries: readonly LogEntry[]
  readonly isAdmin: boolean
  readonly isBeside: boolean
}

/** One row of the log, explained: what was asked, who was tried, what it cost, and the stored text. */
export function LogSheet({ id, entries, isAdmin, isBeside }: LogSheetProps) {
  const t = useText(text)
  const setUrl = useSetSearchParams(LogSearch)
  const listed = entries.find(entry => entry.id === id)
  const fetched = useQuery({ ...rowQuery(isAdmin, id), enabled: listed === undefined })
  const entry = listed ?? fetched.data
  const close = () => setUrl({ row: '' })
  return (
    <Sheet
      title={entry ? formatDateTime(entry.created_at) : t('title')}
      width="narrow"
      isNonModal={isBeside}
      onClose={close}
      previousNext={neighboursOf(entries, id, {
        turnTo: row => setUrl({ row }),
        previousLabel: t('previousRow'),
        nextLabel: t('nextRow'),
      })}
      status={entry && <TypeBadge entry={entry} />}
    >
      {entry ? (
        <LogBody entry={entry} />
      ) : fetched.error ? (
        <Banner tone="danger" isAlert>
          {errorText(fetched.error)}
        </Banner>
      ) : (
        <div className="grid gap-3" aria-busy>
          <Skeleton className="h-32 w-full" />
          <Skeleton className="h-24 w-full" />
          <Skeleton className="h-40 w-full" />
        </div>
      )}
    </Sheet>
  )
}

interface Turning {
  readonly turnTo: (row: string) => void
  readonly previousLabel: string
  readonly nextLabel: string
}

function neighboursOf(
  entries: readonly LogEntry[],
  id: number,
  { turnTo, ...labels }: Turning,
): PreviousNext {
  const index = entries.findIndex(entry => entry.id === id)
  const to = (entry: LogEntry | undefined) => entry && (() => turnTo(String(entry.id)))
  const isListed = index >= 0
  return {
    previous: isListed ? to(entries[index - 1]) : undefined,
    next: isListed ? to(entries[index + 1]) : undefined,
    ...labels,
  }
}

function LogBody({ entry }: { readonly entry: LogEntry }) {
  const t = useText(text)
  const row = toRow(entry)
  const sections = [
    { id: 'log-overview', title: t('overview'), part: <OverviewSection row={row} /> },
    ...(row.detail.attempts
      ? [{ id: 'log-routing', title: t('routing'), part: <RoutingSection detail={row.detail} /> }]
      : []),
    ...(row.detail.candidates
      ? [{ id: 'log-candidates', title: t('candidates'), part: <CandidatesSection detail={row.detail} /> }]
      : []),
    { id: 'log-cost', title: t('cost'), part: <BillSection row={row} /> },
    { id: 'log-raw', title: t('raw'), part: <RawSection entry={entry} /> },
  ]
  return (
    <>
      <SectionAnchors label={t('sections')} sections={sections} />
      <div className="grid gap-8">
        {sections.map(({ id, title, part }) => (
          <section key={id} id={id} aria-label={title} className="grid scroll-mt-12 gap-3">
            <h3 className="text-body font-semibold">{title}</h3>
            {part}
          </section>
        ))}
      </div>
    </>
  )
}
