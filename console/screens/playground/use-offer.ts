import { useQuery } from '@tanstack/react-query'
import { useUser } from '../../app/session/session.ts'
import { modelsQuery, servedQuery } from './queries.ts'
import type { Settings } from './settings.ts'

/** `elsewhere`: the group serves models, but not the chosen one. */
type OfferState = 'unknown' | 'failed' | 'none' | 'elsewhere' | 'ready'

/** What the chosen group serves; all of the user's models where the groups are not known. */
export function useOffer(settings: Pick<Settings, 'group' | 'model'>) {
  const own = useUser()?.group ?? ''
  const group = settings.group || own
  const all = useQuery(modelsQuery)
  const served = useQuery(servedQuery)
  const known = served.data
    ? served.data.filter(row => row.enable_groups.includes(group)).map(row => row.model_name)
    : served.error
      ? all.data
      : undefined
  return {
    state: stateOf(known, settings.model, all.error ?? served.error),
    models: (known ?? []).toSorted(),
    error: all.error ?? served.error,
    isFetching: all.isFetching || served.isFetching,
    refetch: () => Promise.all([all.refetch(), served.refetch()]),
  }
}

function stateOf(known: readonly string[] | undefined, model: string, error: unknown): OfferState {
  if (known === undefined) return error ? 'failed' : 'unknown'
  if (known.length === 0) return 'none'
  return known.includes(model) ? 'ready' : 'elsewhere'
}
