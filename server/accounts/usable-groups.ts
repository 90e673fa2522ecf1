import type { GroupOffers } from '#contract/models.ts'
import type { OptionValues } from '#contract/options/system-options.ts'
import type { BothLanguages, Language } from '../core/language.ts'

const OWN_GROUP: BothLanguages = { zh: '用户分组', en: 'your group' }
const VISITOR_GROUP = 'default'

/**
 * The groups that a user of `ownGroup` may choose: the public ones and their own, as long as they have a ratio.
 * A visitor (empty group) gets the public groups and `default`.
 */
export function usableGroups(values: OptionValues, ownGroup: string, language: Language = 'zh'): GroupOffers {
  const { UserUsableGroups: open, GroupRatio: ratios } = values
  const described = { [ownGroup || VISITOR_GROUP]: OWN_GROUP[language], ...open }
  return Object.fromEntries(
    Object.entries(described).flatMap(([name, desc]) => {
      const ratio = Object.hasOwn(ratios, name) ? ratios[name] : undefined
      return ratio === undefined ? [] : [[name, { ratio, desc }]]
    }),
  )
}
