import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Token } from '#contract/entities/token.ts'
import { listPricing, type PricingRow } from '#features/pricing-page/contract.ts'
import { call } from '../api/call.ts'
import { useUser } from '../session/session.ts'
import { kindFinder, type ModelKind, modelKind } from './model-kind.ts'

const STALE_AFTER_MS = 5 * 60_000
const DEFAULT_GROUP = 'default'

/** Shown until the served models are known, and when there are none. */
export const FALLBACK_MODEL = 'gpt-4o-mini'

/** Inexpensive and widely known models come first; the rest follows by name. */
const PREFERRED = [/^gpt-[\w.]*-mini$/, /^gpt-/, /haiku/, /^claude-/, /flash/]

export const servedModelsQuery = queryOptions({
  queryKey: ['served-models'],
  queryFn: ({ signal }) => call(listPricing, { signal }),
  staleTime: STALE_AFTER_MS,
})

type TokenLimits = Pick<Token, 'group' | 'model_limits' | 'model_limits_enabled'>

/** The models that a channel serves to the group of the token, and that the token may use. Sorted by name. */
export function usableModels(
  rows: ReadonlyArray<Pick<PricingRow, 'model_name' | 'enable_groups'>>,
  ownGroup: string,
  token?: TokenLimits,
): string[] {
  const group = token?.group || ownGroup || DEFAULT_GROUP
  const limits = token?.model_limits_enabled ? new Set(token.model_limits.split(',')) : undefined
  return rows
    .filter(row => row.enable_groups.includes(group) && (limits?.has(row.model_name) ?? true))
    .map(row => row.model_name)
    .toSorted()
}

/** The model for an example: a chat model if there is one, of the preferred names the first. */
export function chooseExampleModel(
  models: readonly string[],
  preferred: readonly RegExp[] = PREFERRED,
  kindOf: (model: string) => ModelKind = modelKind,
) {
  const chats = models.filter(model => kindOf(model) === 'chat')
  const match = preferred
    .map(pattern => chats.find(model => pattern.test(model)))
    .find(model => model !== undefined)
  return match ?? chats[0] ?? models[0]
}

/** A model that is served and that the token, or the visitor, may use. */
export function useExampleModel(token?: TokenLimits): string {
  const ownGroup = useUser()?.group ?? ''
  const { data: rows = [] } = useQuery(servedModelsQuery)
  return (
    chooseExampleModel(usableModels(rows, ownGroup, token), PREFERRED, kindFinder(rows)) ?? FALLBACK_MODEL
  )
}
