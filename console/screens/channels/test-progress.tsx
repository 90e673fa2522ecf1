import { useQuery } from '@tanstack/react-query'
import { Spinner } from '../../ui/spinner.tsx'
import { useText } from '../../ui/text.ts'
import { testProgressQuery } from './over-queries.ts'
import { overText } from './over-text.ts'

/** How far the test of all channels is, while it runs. The list follows. */
export function TestProgress() {
  const t = useText(overText)
  const { data: progress } = useQuery(testProgressQuery)
  if (!progress?.is_running || progress.total === 0) return null
  const { total, done, succeeded, failed } = progress
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-card bg-info-bg px-4 py-2.5 text-info">
      <Spinner />
      <span role="status" className="tabular">
        {t('testingAll', { done, total, succeeded, failed })}
      </span>
      <progress
        aria-label={t('testAll')}
        value={done}
        max={Math.max(total, 1)}
        className="h-1.5 min-w-24 flex-1 overflow-hidden rounded-full bg-surface [&::-webkit-progress-bar]:bg-surface [&::-webkit-progress-value]:bg-info"
      />
    </div>
  )
}
