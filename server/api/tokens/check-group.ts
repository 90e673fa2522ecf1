import type { OptionValues } from '#contract/options/system-options.ts'
import { usableGroups } from '../usable-groups.ts'
import { refuse } from './refuse.ts'

/** Refuses a group that the owner may not choose. Empty means the owner's own. */
export function checkGroup(group: string, values: OptionValues, ownGroup: string): void {
  if (group !== '' && !Object.hasOwn(usableGroups(values, ownGroup), group))
    throw refuse('unknown_group', { group })
}
