import { Link } from '@tanstack/react-router'
import type { RoutePreview } from '#contract/route-preview.ts'
import { useObstacleWord } from '../../../app/obstacle.ts'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { useText } from '../../../ui/text.ts'
import { routeText } from './route-text.ts'

type Candidate = RoutePreview['candidates'][number]

const CELL = 'px-2 py-2 first:pl-3 last:pr-3'
const PERCENT = 100

/** The channels that could answer, in the order in which they would be tried. */
export function CandidateTable({ candidates }: { readonly candidates: readonly Candidate[] }) {
  const t = useText(routeText)
  const heads = ['name', 'priority', 'weight', 'chance', 'upstream', 'atTheMoment'] as const
  return (
    <div className="overflow-x-auto rounded-card border border-line">
      <table className="w-full text-left text-small">
        <caption className="sr-only">{t('previewRoute')}</caption>
        <thead className="bg-sunken text-caption text-muted">
          <tr>
            {heads.map(head => (
              <th key={head} scope="col" className={`${CELL} font-medium whitespace-nowrap`}>
                {t(head)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {candidates.map(candidate => (
            <CandidateRow key={candidate.channel_id} candidate={candidate} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function CandidateRow({ candidate }: { readonly candidate: Candidate }) {
  const t = useText(routeText)
  const obstacle = useObstacleWord()(candidate.obstacle)
  return (
    <tr className="border-t border-line tabular">
      <th scope="row" className={`${CELL} min-w-40 font-medium`}>
        <Link
          to="/channel/edit/$id"
          params={{ id: String(candidate.channel_id) }}
          search={(before: object) => before}
          className="hover:text-accent hover:underline"
        >
          {candidate.channel_name} #{candidate.channel_id}
        </Link>
      </th>
      <td className={CELL}>{candidate.priority}</td>
      <td className={CELL}>{candidate.weight}</td>
      <td className={CELL}>{Math.round(candidate.chance * PERCENT)}%</td>
      <td className={`${CELL} font-mono text-caption whitespace-nowrap`}>{candidate.upstream_model}</td>
      <td className={CELL}>
        <StatusBadge tone={obstacle ? 'warning' : 'success'} mark={obstacle ? 'triangle' : 'filled'}>
          {obstacle ?? t('ready')}
        </StatusBadge>
      </td>
    </tr>
  )
}
