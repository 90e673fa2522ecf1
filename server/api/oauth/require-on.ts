import type { OptionValues } from '#contract/options/system-options.ts'
import type { ApiContext } from '../context.ts'
import { refuse } from './refuse.ts'
import type { Way } from './ways.ts'

/** The options as they stand, unless they turn this way off. */
export function requireOn(way: Way, { settings }: Pick<ApiContext, 'settings'>): OptionValues {
  const { values } = settings.current()
  if (!way.isOn(values)) throw refuse('off', { party: way.party })
  return values
}
