import type { FoundRecord } from '#console/app/router/define-screen.ts'
import { currentUser, hasRole } from '#console/app/session/session.ts'
import { FILLED_SECTIONS, optionOf } from '#console/app/settings/options.ts'
import { currentLanguage } from '#console/ui/text/text.ts'

const FOUND_MAX = 5

/** Options whose key, label or help in either language contains the text; only for super administrators. */
export function findOptions(typed: string): readonly FoundRecord[] {
  if (!hasRole(currentUser(), 'root')) return []
  const keyword = typed.toLowerCase()
  const language = currentLanguage()
  return FILLED_SECTIONS.flatMap(({ tab, keys }) => keys.map(key => ({ key, tab })))
    .filter(({ key }) => searchText(key).includes(keyword))
    .slice(0, FOUND_MAX)
    .map(({ key, tab }) => ({
      name: optionOf(key).label[language],
      detail: key,
      href: `/setting?tab=${tab}&section=${key}`,
    }))
}

function searchText(key: string): string {
  const { label, help } = optionOf(key)
  return [key, label.zh, label.en, help?.zh, help?.en].join('\n').toLowerCase()
}
