import { ChannelLink } from '#console/app/list/record-link.tsx'
import { useSkipReasonText } from '#console/app/skip-reason.ts'
import { classes } from '#console/ui/class-names.ts'
import { StatusBadge, Tag } from '#console/ui/data/badges.tsx'
import type { LogDetail } from '../../contract/log-detail.ts'
import { formatSeconds } from '../entry.ts'
import { type Candidate, candidateStatus, NOT_SENT, toWaterfall } from './routing.ts'
import { useSheetText } from './text.ts'

/** The attempts in order, with the status and the duration of each. */
export function RoutingSection({ detail }: { readonly detail: LogDetail }) {
  const t = useSheetText()
  const steps = toWaterfall(detail.attempts ?? [], detail.use_ms ?? 0)
  return (
    <ol className="grid gap-3">
      {steps.map(step => (
        <li key={step.number} className="grid gap-1 text-small">
          <div className="flex items-center gap-2">
            <span className="min-w-0 flex-1 font-medium [overflow-wrap:anywhere]">
              {step.channel ? (
                <ChannelLink id={step.channel.id}>{`${step.channel.name} #${step.channel.id}`}</ChannelLink>
              ) : (
                t('attempt', { number: step.number })
              )}
            </span>
            <StatusBadge
              tone={step.isSuccess ? 'success' : 'danger'}
              mark={step.isSuccess ? 'filled' : 'cross'}
            >
              {step.status === NOT_SENT ? t('skipped') : String(step.status)}
            </StatusBadge>
            <span className="w-16 shrink-0 text-right text-muted tabular">
              {t('seconds', { seconds: formatSeconds(step.ms) })}
            </span>
          </div>
          <div aria-hidden className="h-2 rounded-full bg-neutral-bg">
            <span
              className={classes(
                'block h-full min-w-1 rounded-full',
                step.isSuccess ? 'bg-success' : 'bg-danger-solid',
              )}
              style={{ marginLeft: `${step.startShare * 100}%`, width: `${step.share * 100}%` }}
            />
          </div>
          {step.code && <p className="font-mono text-caption text-muted">{step.code}</p>}
        </li>
      ))}
    </ol>
  )
}

/** The channels that could serve the request in routing order, each with its skip reason or its status. */
export function CandidatesSection({ detail }: { readonly detail: LogDetail }) {
  const t = useSheetText()
  const skipReasonText = useSkipReasonText()
  const { candidates = [], attempts = [] } = detail
  const statusText = ({ channel_id: id, obstacle }: Candidate): string =>
    skipReasonText(obstacle) ?? t(candidateStatus(id, attempts))
  return (
    <ol className="grid gap-1.5 text-small">
      {candidates.map(candidate => (
        <li key={candidate.channel_id} className="flex items-center gap-2">
          <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
            <ChannelLink id={candidate.channel_id ?? 0}>
              {`${candidate.channel_name} #${candidate.channel_id}`}
            </ChannelLink>
          </span>
          <span className="text-muted tabular whitespace-nowrap">
            {t('rank', { priority: candidate.priority, weight: candidate.weight })}
          </span>
          <Tag>{statusText(candidate)}</Tag>
        </li>
      ))}
    </ol>
  )
}
