import { useQuery } from '@tanstack/react-query'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import { nowSeconds } from '#console/app/format/format.tsx'
import { ScreenLink } from '#console/app/list/record-link.tsx'
import { hasRole, useUser } from '#console/app/session/session.ts'
import { classes } from '#console/ui/class-names.ts'
import { findConcerns } from './attention.ts'
import {
  attentionBackupsQuery,
  attentionChannelsQuery,
  attentionDiskQuery,
  attentionHealthQuery,
  setupQuery,
} from './queries.ts'
import { useScreenText } from './text.ts'

/** What an operator should look at, with a link to where it is mended. */
export function AttentionPanel() {
  const t = useScreenText()
  const isRoot = hasRole(useUser(), 'root')
  const { data: channels, error: channelsError } = useQuery(attentionChannelsQuery)
  const { data: health, error: healthError } = useQuery(attentionHealthQuery)
  const { data: setup } = useQuery({ ...setupQuery, enabled: isRoot })
  const { data: backups } = useQuery({ ...attentionBackupsQuery, enabled: isRoot })
  const { data: disk } = useQuery({ ...attentionDiskQuery, enabled: isRoot })
  const concerns = findConcerns(
    {
      channels,
      health,
      unpricedModels: setup?.unpriced_models,
      hasSharedLimits: setup?.has_shared_limits,
      backups,
      diskFullInDays: disk?.full_in_days,
    },
    nowSeconds(),
  )
  const error = channels && health ? null : (channelsError ?? healthError)
  if (error)
    return (
      <p className="mb-4 rounded-card border border-line bg-surface px-4 py-3 text-small text-danger">
        {t('notChecked')}
      </p>
    )
  if (!channels || !health || (channels.length === 0 && concerns.length === 0)) return null
  return (
    <section
      aria-label={t('attention')}
      className="mb-4 rounded-card border border-line bg-surface px-4 py-3 text-small"
    >
      {concerns.length === 0 ? (
        <p className="flex items-center gap-2 text-muted">
          <CircleCheck size={16} aria-hidden className="shrink-0 text-success" />
          {t('noConcerns')}
        </p>
      ) : (
        <>
          <h2 className="mb-1 font-medium">{t('attention')}</h2>
          <ul>
            {concerns.map(({ key, tone, textKey, values, ...target }) => (
              <li key={key} className="flex items-start gap-2 py-1">
                <TriangleAlert
                  size={16}
                  aria-hidden
                  className={classes('mt-0.5 shrink-0', tone === 'danger' ? 'text-danger' : 'text-warning')}
                />
                <ScreenLink {...target} className="min-w-0 [overflow-wrap:anywhere]">
                  {t(textKey, values)}
                </ScreenLink>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
