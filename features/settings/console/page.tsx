import { Link } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useSearchParams } from '#console/app/router/search-params.ts'
import { hasRole, useUser } from '#console/app/session/session.ts'
import { inputClasses } from '#console/ui/class-names.ts'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { PageHeader } from '#console/ui/text/page-header.tsx'
import { useWindowName } from '#console/ui/text/window-name.ts'
import { accountSections } from './account-sections.ts'
import { TabSkeleton } from './layout.tsx'
import { SettingSearch, type SettingTab, TABS } from './search-params.ts'
import { useScreenText } from './text.ts'

/** Loads its sections with it, so that they appear together. */
const personal = lazyPart(async () => {
  const [tab] = await Promise.all([
    import('./personal-tab.tsx'),
    ...accountSections.map(section => section.preload()),
  ])
  return tab.PersonalTab
})
const root = lazyPart(async () => (await import('./root-settings.tsx')).RootSettings)
const finder = lazyPart(async () => (await import('./finder.tsx')).SettingFinder)
const noPermission = lazyPart(
  async () => (await import('#console/app/router/missing-pages.tsx')).NoPermissionPage,
)

/** Personal settings for everyone, and the installation's settings for the super administrator. */
export function SettingPage() {
  const t = useScreenText()
  const { tab } = useSearchParams(SettingSearch)
  const isRoot = hasRole(useUser(), 'root')
  useWindowName(t(tab))
  const [hasOptions, setHasOptions] = useState(tab !== 'personal')
  // Once opened, the options stay: their edits survive a visit of the personal tab.
  if (tab !== 'personal' && !hasOptions) setHasOptions(true)
  if (tab !== 'personal' && !isRoot) return <noPermission.Part />
  return (
    <>
      <PageHeader title={t('title')}>{isRoot && <FinderField />}</PageHeader>
      {isRoot && <TabLinks open={tab} />}
      <Suspense fallback={<TabSkeleton />}>
        {isRoot && hasOptions ? <root.Part tab={tab} personal={<personal.Part />} /> : <personal.Part />}
      </Suspense>
    </>
  )
}

/** Looks like the finder until it is used: its list and the texts of all options load then. */
function FinderField() {
  const t = useScreenText()
  const [isOpen, setOpen] = useState(false)
  const look = (
    <button
      type="button"
      onPointerEnter={finder.preload}
      onFocus={finder.preload}
      onClick={() => setOpen(true)}
      className={`${inputClasses} flex w-48 items-center justify-between pr-3 text-left text-subtle sm:w-72`}
    >
      {t('search')}
      <Search size={15} aria-hidden />
    </button>
  )
  return isOpen ? (
    <Suspense fallback={look}>
      <finder.Part />
    </Suspense>
  ) : (
    look
  )
}

/** Links to the settings tabs. */
export function TabLinks({ open }: { readonly open: SettingTab }) {
  const t = useScreenText()
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
