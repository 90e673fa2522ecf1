import { Suspense } from 'react'
import { hasRole, useUser } from '../../app/session/session.ts'
import { useSearchParams } from '../../app/router/search-params.ts'
import { lazyPart } from '../../ui/lazy-part.ts'
import { PageHeader } from '../../ui/text/page-header.tsx'
import { useText } from '../../ui/text/text.ts'
import { SettingSearch } from './search.ts'
import { SettingSkeleton } from './setting-skeleton.tsx'
import { SettingTabs } from './setting-tabs.tsx'
import { text } from './text.ts'

const personal = lazyPart(async () => (await import('./personal/personal-tab.tsx')).PersonalTab)
const root = lazyPart(async () => (await import('./root-settings.tsx')).RootSettings)
const finder = lazyPart(async () => (await import('./setting-finder.tsx')).SettingFinder)
const noPermission = lazyPart(async () => (await import('../../app/router/missing-pages.tsx')).NoPermissionPage)

/** Personal settings for everybody; those of the installation for the super administrator. */
export function SettingScreen() {
  const t = useText(text)
  const { tab } = useSearchParams(SettingSearch)
  const isRoot = hasRole(useUser(), 'root')
  if (tab !== 'personal' && !isRoot) return <noPermission.Part />
  return (
    <>
      <PageHeader title={t('title')}>
        {isRoot && (
          <Suspense fallback={<div className="h-9 w-60" />}>
            <finder.Part />
          </Suspense>
        )}
      </PageHeader>
      {isRoot && <SettingTabs open={tab} />}
      <Suspense fallback={<SettingSkeleton />}>
        {isRoot ? <root.Part tab={tab} personal={<personal.Part />} /> : <personal.Part />}
      </Suspense>
    </>
  )
}
