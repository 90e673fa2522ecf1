import type { Deployment } from './deployments.ts'

/** What a list of models may name. */
export interface ModelNames {
  readonly all: readonly string[]
  /** The models of each access group. */
  readonly groups: ReadonlyMap<string, readonly string[]>
}

export function createModelNames(deployments: readonly Deployment[]): ModelNames {
  const groups = new Map<string, string[]>()
  for (const { names, info } of deployments)
    for (const group of Array.isArray(info.access_groups) ? info.access_groups : [])
      groups.set(String(group), [...(groups.get(String(group)) ?? []), ...names])
  return { all: [...new Set(deployments.flatMap(({ names }) => names))], groups }
}

const ALL = ['*', 'all-proxy-models', 'all-team-models']
const NONE = 'no-default-models'

/** Which models a list of LiteLLM allows. Undefined: all. */
export function expandModels(
  list: readonly string[],
  { all, groups }: ModelNames,
  notes: string[],
): ReadonlySet<string> | undefined {
  if (list.length === 0 || list.some(name => ALL.includes(name))) return undefined
  return new Set(
    list.flatMap(entry => {
      if (entry === NONE) return []
      if (!entry.includes('*')) return groups.get(entry) ?? [entry]
      const matching = all.filter(name => matches(entry, name))
      notes.push(`the models ${entry} came as those of now: ${matching.join(', ') || 'none'}`)
      return matching
    }),
  )
}

const matches = (pattern: string, name: string): boolean =>
  new RegExp(`^${pattern.split('*').map(RegExp.escape).join('.*')}$`).test(name)

/** The models that each of the lists allows; undefined: all. */
export const intersect = (
  lists: readonly (ReadonlySet<string> | undefined)[],
): ReadonlySet<string> | undefined =>
  lists.reduce((left, right) => (left && right ? left.intersection(right) : (left ?? right)), undefined)
