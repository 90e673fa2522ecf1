import { useQuery } from '@tanstack/react-query'
import { LoadError } from '#console/app/api/load-error.tsx'
import { selfQuery } from '#console/app/session/self.ts'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import { accountSections } from './account-sections.ts'
import { SettingSection, TabLayout } from './layout.tsx'

/** Settings of the user's own account: the sections that features add. */
export function PersonalTab() {
  const language = useLanguage()
  const { data: self, error, isFetching, refetch } = useQuery(selfQuery)
  if (!self) {
    return error ? (
      <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />
    ) : (
      <div className="grid gap-5 lg:pl-54">
        <Skeleton className="h-48 w-full max-w-220" />
        <Skeleton className="h-32 w-full max-w-220" />
      </div>
    )
  }
  return (
    <TabLayout sections={accountSections.map(({ id, title }) => ({ id, title: title[language] }))}>
      {accountSections.map(({ id, title, Part }) => (
        <SettingSection key={id} id={id} title={title[language]}>
          <Part self={self} />
        </SettingSection>
      ))}
    </TabLayout>
  )
}
