import { type ReactNode, useEffect } from 'react'
import { useSearchParams } from '../../app/router/search-params.ts'
import { fieldId } from '../../ui/forms/field.tsx'
import { useText } from '../../ui/text/text.ts'
import { SettingSearch } from './search.ts'
import { text } from './text.ts'

interface SettingPageProps {
  readonly sections: ReadonlyArray<{ readonly id: string; readonly title: string }>
  readonly children: ReactNode
}

const show = (id: string): boolean => {
  const field = document.getElementById(fieldId(id))
  const found = field ?? document.getElementById(id)
  found?.scrollIntoView({ block: field ? 'center' : 'start' })
  field?.focus({ preventScroll: true })
  return found !== null
}

/** One tab of the settings: the way to its sections at the left, the sections beside it. */
export function SettingPage({ sections, children }: SettingPageProps) {
  const t = useText(text)
  const { section } = useSearchParams(SettingSearch)
  useEffect(() => {
    if (section !== '') show(section)
  }, [section])
  return (
    <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[12rem_minmax(0,55rem)]">
      <nav
        aria-label={t('sections')}
        className="-mx-3 flex gap-1 overflow-x-auto px-3 sm:mx-0 sm:px-0 lg:sticky lg:top-4 lg:grid"
      >
        {sections.map(({ id, title }) => (
          <button
            key={id}
            type="button"
            onClick={() => show(id)}
            className="h-8 shrink-0 rounded-control px-2 text-left text-small whitespace-nowrap text-muted hover:bg-hover hover:text-fg coarse:h-11"
          >
            {title}
          </button>
        ))}
      </nav>
      <div className="grid min-w-0 grid-cols-1 gap-5">{children}</div>
    </div>
  )
}
