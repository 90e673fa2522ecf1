import type { Facets } from '#contract/logs/logs.ts'
import type { FacetOption } from '../../ui/data/filter/filters.tsx'
import type { Translate } from '../../ui/text/text.ts'
import { typeBadge } from './log-state.ts'
import type { text } from './text.ts'

const TYPES = ['1', '2', '3', '4', '5'] as const

type TypeOption = FacetOption & { readonly value: (typeof TYPES)[number] }

/** All types, with the number of rows where the server says it. */
export function typeOptions(facets: Facets | undefined, t: Translate<keyof typeof text.zh>): TypeOption[] {
  const counts = new Map(facets?.types.map(({ value, count }) => [value, count]))
  return TYPES.map(value => {
    const count = counts.get(value)
    return { value, label: t(typeBadge(Number(value))[0]), ...(count !== undefined && { count }) }
  })
}

/** Values that are chosen by their name; the counts of the same name are one. */
export function optionsByName(
  values: ReadonlyArray<{ readonly value: string; readonly count: number }> = [],
): FacetOption[] {
  const counts = new Map<string, number>()
  for (const { value, count } of values) counts.set(value, (counts.get(value) ?? 0) + count)
  return [...counts].map(([value, count]) => ({ value, label: value, count }))
}

export const optionsById = (values: Facets['channels'] = []): FacetOption[] =>
  values.map(({ id, value, count }) => ({ value: String(id), label: `${value} #${id}`, count }))
