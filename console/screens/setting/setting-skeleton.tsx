import { useKitText } from '../../ui/text/kit-text.ts'
import { Skeleton } from '../../ui/feedback/progress.tsx'

const SECTIONS = ['first', 'second', 'third'] as const

/** Holds the place of a tab: the way to its sections, and the sections. */
export function SettingSkeleton() {
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
