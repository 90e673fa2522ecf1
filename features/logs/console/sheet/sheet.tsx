import { useQuery } from '@tanstack/react-query'
import { errorText } from '#console/app/api/call.ts'
import { formatDateTime } from '#console/app/format/format.tsx'
import { useSetSearchParams } from '#console/app/router/search-params.ts'
import { CopyButton } from '#console/ui/buttons/buttons.tsx'
import { Banner, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { type PreviousNext, SectionAnchors, Sheet } from '#console/ui/overlays/sheet.tsx'
import type { LogEntry } from '../../contract/logs.ts'
import { TypeBadge } from '../cells.tsx'
import { toRow } from '../entry.ts'
import { rowQuery } from '../queries.ts'
import { LogSearch } from '../search-params.ts'
import { BillSection } from './bill-section.tsx'
import { OverviewSection } from './overview-section.tsx'
import { CandidatesSection, RoutingSection } from './routing-section.tsx'
import { useSheetText } from './text.ts'

interface LogSheetProps {
  readonly id: number
  /** The current page of the table: the source of the previous and next entries. */
  readonly entries: readonly LogEntry[]
  readonly isAdmin: boolean
  /** Opens beside the table instead of covering it. */
  readonly isBeside: boolean
}

/** One log entry in full: overview, routing, candidates, cost and raw JSON. */
export function LogSheet({ id, entries, isAdmin, isBeside }: LogSheetProps) {
  const t = useSheetText()
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
      previousNext={toPreviousNext(entries, id, {
        onOpen: row => setUrl({ row }),
        previousLabel: t('previousRow'),
        nextLabel: t('nextRow'),
      })}
      status={entry && <TypeBadge entry={entry} />}
    >
      {entry ? (
        <LogSections entry={entry} />
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

interface PreviousNextOptions {
  readonly onOpen: (row: string) => void
  readonly previousLabel: string
  readonly nextLabel: string
}

function toPreviousNext(
  entries: readonly LogEntry[],
  id: number,
  { onOpen, ...labels }: PreviousNextOptions,
): PreviousNext {
  const index = entries.findIndex(entry => entry.id === id)
  const isListed = index >= 0
  const opener = (entry: LogEntry | undefined) => entry && (() => onOpen(String(entry.id)))
  return {
    previous: isListed ? opener(entries[index - 1]) : undefined,
    next: isListed ? opener(entries[index + 1]) : undefined,
    ...labels,
  }
}

function LogSections({ entry }: { readonly entry: LogEntry }) {
  const t = useSheetText()
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

/** The entry as the API returned it, with `other` parsed. */
function RawSection({ entry }: { readonly entry: LogEntry }) {
  const t = useSheetText()
  const json = JSON.stringify({ ...entry, other: parseOther(entry.other) }, null, 2)
  return (
    <div className="relative">
      <div className="absolute top-1 right-1">
        <CopyButton text={json} label={t('copyJson')} />
      </div>
      <pre className="rounded-card border border-line bg-sunken p-3 pr-10 font-mono text-caption leading-5 break-all whitespace-pre-wrap">
        {json}
      </pre>
    </div>
  )
}

function parseOther(other: string): unknown {
  try {
    return JSON.parse(other)
  } catch {
    return other
  }
}
