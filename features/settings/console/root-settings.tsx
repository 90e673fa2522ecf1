import { useQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense } from 'react'
import { LoadError } from '#console/app/api/load-error.tsx'
import { OptionFormProvider } from '#console/app/settings/form.ts'
import { optionsQuery, type StoredOptions } from '#console/app/settings/queries.ts'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { TabSkeleton } from './layout.tsx'
import { useCreateOptionForm } from './option-form.ts'
import { SaveBar } from './save-bar.tsx'
import type { SettingTab } from './search-params.ts'

const operation = lazyPart(async () => (await import('./operation/page.tsx')).OperationTab)
const system = lazyPart(async () => (await import('./system/page.tsx')).SystemTab)
const other = lazyPart(async () => (await import('./other/page.tsx')).OtherTab)

interface RootSettingsProps {
  readonly tab: SettingTab
  readonly personal: ReactNode
}

/** Loads the options once for all tabs. Edits survive switching between tabs. The personal tab does not wait for the options. */
export function RootSettings({ tab, personal }: RootSettingsProps) {
  const { data, error, isFetching, refetch } = useQuery(optionsQuery)
  const isPersonal = tab === 'personal'
  return (
    <>
      {isPersonal && personal}
      {data && <WithOptions tab={tab} stored={data} />}
      {!data && !isPersonal && error && (
        <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />
      )}
      {!data && !isPersonal && !error && <TabSkeleton />}
    </>
  )
}

interface WithOptionsProps {
  readonly tab: SettingTab
  readonly stored: StoredOptions
}

function WithOptions({ tab, stored }: WithOptionsProps) {
  const form = useCreateOptionForm(stored)
  return (
    <OptionFormProvider value={form}>
      <Suspense fallback={<TabSkeleton />}>
        {tab === 'operation' && <operation.Part />}
        {tab === 'system' && <system.Part />}
        {tab === 'other' && <other.Part />}
      </Suspense>
      <SaveBar path="/setting" />
    </OptionFormProvider>
  )
}
