import { type ReactNode, useEffect, useState } from 'react'
import { useSearchParams } from '#console/app/router/search-params.ts'
import { useSettingsText } from '#console/app/settings/text.ts'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { fieldId } from '#console/ui/forms/fields.tsx'
import { useKitText } from '#console/ui/text/kit-text.ts'
import { SettingSearch } from './search-params.ts'

interface TabLayoutProps {
  readonly sections: ReadonlyArray<{ readonly id: string; readonly title: string }>
  readonly children: ReactNode
}

const scrollToSetting = (id: string): boolean => {
  const field = document.getElementById(fieldId(id))
  const found = field ?? document.getElementById(id)
  found?.scrollIntoView({ block: field ? 'center' : 'start' })
  const target = field ?? found
  target?.focus({ preventScroll: true })
  return found !== null
}

/** The part of the window in which a section counts as the one that is read. */
const READ_AREA = '-80px 0px -60% 0px'

/** The first section that is being read. */
function useCurrentSection(ids: string): string {
  const [visible, setVisible] = useState<readonly string[]>([])
  useEffect(() => {
    const observer = new IntersectionObserver(
      entries =>
        setVisible(before => {
          const changed = new Map(entries.map(({ target, isIntersecting }) => [target.id, isIntersecting]))
          return ids.split(' ').filter(id => changed.get(id) ?? before.includes(id))
        }),
      { rootMargin: READ_AREA },
    )
    for (const id of ids.split(' ')) {
      const section = document.getElementById(id)
      if (section) observer.observe(section)
    }
    return () => observer.disconnect()
  }, [ids])
  return visible[0] ?? ''
}

/** Layout of a settings tab: links to the sections at the left, the sections beside them. */
export function TabLayout({ sections, children }: TabLayoutProps) {
  const t = useSettingsText()
  const { section } = useSearchParams(SettingSearch)
  const current = useCurrentSection(sections.map(({ id }) => id).join(' '))
  useEffect(() => {
    if (section !== '') scrollToSetting(section)
  }, [section])
  return (
    <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[12rem_minmax(0,55rem)]">
      <nav
        aria-label={t('sections')}
        className="-mx-3 flex gap-1 overflow-x-auto px-3 sm:mx-0 sm:px-0 lg:sticky lg:top-18 lg:grid"
      >
        {sections.map(({ id, title }) => (
          <button
            key={id}
            type="button"
            aria-current={id === current || undefined}
            title={title}
            onClick={() => scrollToSetting(id)}
            className="h-8 shrink-0 truncate rounded-control px-2 text-left text-small text-muted hover:bg-hover hover:text-fg aria-[current]:bg-selected aria-[current]:font-medium aria-[current]:text-accent coarse:h-11"
          >
            {title}
          </button>
        ))}
      </nav>
      <div className="grid min-w-0 grid-cols-1 gap-5">{children}</div>
    </div>
  )
}

interface SettingSectionProps {
  readonly id: string
  readonly title: string
  readonly help?: string | undefined
  /** Shown at the end of the title row. */
  readonly aside?: ReactNode
  readonly children: ReactNode
}

/** Card of a settings section. */
export function SettingSection({ id, title, help, aside, children }: SettingSectionProps) {
  return (
    <section
      id={id}
      // The keyboard goes on where a link has led to.
      tabIndex={-1}
      aria-label={title}
      className="scroll-mt-20 rounded-card border border-line bg-surface p-4 sm:p-5"
    >
      <div className="mb-4 flex flex-wrap items-start justify-between gap-2">
        <div>
          <h2 className="text-section font-semibold">{title}</h2>
          {help && <p className="mt-0.5 text-small text-muted">{help}</p>}
        </div>
        {aside}
      </div>
      <div className="grid grid-cols-1 gap-5">{children}</div>
    </section>
  )
}

const SECTIONS = ['first', 'second', 'third'] as const

/** Skeleton of a settings tab. */
export function TabSkeleton() {
  const t = useKitText()
  return (
    <div
      role="status"
      aria-busy
      className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[12rem_minmax(0,55rem)]"
    >
      <span className="sr-only">{t('loading')}</span>
      <div className="flex gap-1 overflow-hidden lg:grid">
        {SECTIONS.map(section => (
          <span key={section} className="flex h-8 items-center px-2 coarse:h-11">
            <Skeleton className="h-3.5 w-24" />
          </span>
        ))}
      </div>
      <div className="grid min-w-0 grid-cols-1 gap-5">
        {SECTIONS.map(section => (
          <div key={section} className="grid gap-4 rounded-card border border-line bg-surface p-4 sm:p-5">
            <Skeleton className="h-5 w-40" />
            <Skeleton className="h-9 w-full" />
            <Skeleton className="h-9 w-full" />
            <Skeleton className="h-9 w-full" />
          </div>
        ))}
      </div>
    </div>
  )
}
