import { useQuery } from '@tanstack/react-query'
import { nowSeconds, useMoney } from '#console/app/format/format.tsx'
import { hasRole, useUser } from '#console/app/session/session.ts'
import { type Concern, findConcerns } from './attention.ts'
import {
  attentionBackupsQuery,
  attentionChannelsQuery,
  attentionDiskQuery,
  attentionHealthQuery,
  attentionSpikesQuery,
  setupQuery,
} from './attention-queries.ts'

interface Concerns {
  readonly concerns: readonly Concern[]
  /** Why channels could not be checked. */
  readonly error: Error | null
  /** False while channels are loading. */
  readonly isChecked: boolean
  readonly hasChannels: boolean
}

/** What an operator should look at. The overview and the bell share the calls. */
export function useConcerns(): Concerns {
  const { money } = useMoney()
  const isRoot = hasRole(useUser(), 'root')
  const { data: channels, error: channelsError } = useQuery(attentionChannelsQuery)
  const { data: health, error: healthError } = useQuery(attentionHealthQuery)
  const { data: spikes } = useQuery(attentionSpikesQuery)
  const { data: setup } = useQuery({ ...setupQuery, enabled: isRoot })
  const { data: backups } = useQuery({ ...attentionBackupsQuery, enabled: isRoot })
  const { data: disk } = useQuery({ ...attentionDiskQuery, enabled: isRoot })
  const concerns = findConcerns(
    {
      channels,
      health,
      spikes: spikes?.map(({ user_id, username, amount, usual, since }) => ({
        id: user_id,
        name: username,
        amount: money(amount),
        usual: money(usual),
        since,
      })),
      unpricedModels: setup?.unpriced_models,
      hasSharedLimits: setup?.has_shared_limits,
      backups,
      diskFullInDays: disk?.full_in_days,
    },
    nowSeconds(),
  )
  const isChecked = channels !== undefined && health !== undefined
  const error = isChecked ? null : (channelsError ?? healthError)
  return { concerns, error, isChecked, hasChannels: (channels?.length ?? 0) > 0 }
}
