import { Link } from '@tanstack/react-router'
import { useText } from '../../ui/text/text.ts'
import { type SettingTab, TABS } from './search.ts'
import { text } from './text.ts'

/** The way between the kinds of settings. */
export function SettingTabs({ open }: { readonly open: SettingTab }) {
  const t = useText(text)
  return (
    <nav aria-label={t('tabs')} className="mb-5 flex gap-1 overflow-x-auto border-b border-line">
      {TABS.map(tab => (
        <Link
          key={tab}
          to="/setting"
          search={tab === 'personal' ? {} : { tab }}
          activeOptions={{ exact: true, includeSearch: true }}
          aria-current={tab === open ? 'page' : undefined}
          className="-mb-px shrink-0 border-b-2 border-transparent px-3 py-2 text-muted outline-offset-[-2px] hover:text-fg aria-[current=page]:border-primary aria-[current=page]:font-medium aria-[current=page]:text-fg"
        >
          {t(tab)}
        </Link>
      ))}
    </nav>
  )
}
