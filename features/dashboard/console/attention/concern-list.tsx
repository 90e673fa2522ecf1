import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { TimeText } from '#console/app/format/format.tsx'
import { ScreenLink } from '#console/app/list/record-link.tsx'
import { classes } from '#console/ui/class-names.ts'
import type { Concern } from './attention.ts'
import { useAttentionText } from './attention-text.ts'

interface ConcernListProps {
  readonly concerns: readonly Concern[]
  /** What stands behind a concern, by its key. */
  readonly mark?: (key: string) => ReactNode
}

/** Concerns with when they began, each a link to where it is mended. */
export function ConcernList({ concerns, mark }: ConcernListProps) {
  const t = useAttentionText()
  return (
    <ul>
      {concerns.map(({ key, tone, textKey, values, at, ...target }) => (
        <li key={key} className="flex items-start gap-2 py-1">
          <TriangleAlert
            size={16}
            aria-hidden
            className={classes('mt-0.5 shrink-0', tone === 'danger' ? 'text-danger' : 'text-warning')}
          />
          <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
            <ScreenLink {...target}>{t(textKey, values)}</ScreenLink>
            {at > 0 && (
              <span className="ml-2 text-caption text-muted">
                <TimeText unixSeconds={at} />
              </span>
            )}
          </span>
          {mark?.(key)}
        </li>
      ))}
    </ul>
  )
}
