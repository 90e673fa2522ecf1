import type { LogDetail } from '#contract/logs/logs.ts'
import { useSkipReasonText } from '../../../app/skip-reason.ts'
import { Tag } from '../../../ui/data/badges.tsx'
import { useText } from '../../../ui/text/text.ts'
import { text } from '../text.ts'
import { candidateStatus } from './standing.ts'

type Candidate = NonNullable<LogDetail['candidates']>[number]

/** Who could have answered, in the order of trial, and what spoke against each. */
export function CandidatesSection({ detail: { candidates = [], attempts = [] } }: { readonly detail: LogDetail }) {
  const t = useText(text)
  const obstacleWord = useSkipReasonText()
  const wordFor = ({ channel_id: id, obstacle }: Candidate): string =>
    obstacleWord(obstacle) ?? t(candidateStatus(id, attempts))
  return (
    <ol className="grid gap-1.5 text-small">
      {candidates.map(candidate => (
        <li key={candidate.channel_id} className="flex items-center gap-2">
          <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
            {`${candidate.channel_name} #${candidate.channel_id}`}
          </span>
          <span className="text-muted tabular whitespace-nowrap">
            {t('rank', { priority: candidate.priority, weight: candidate.weight })}
          </span>
          <Tag>{wordFor(candidate)}</Tag>
        </li>
      ))}
    </ol>
  )
}
