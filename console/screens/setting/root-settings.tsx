import { useQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense } from 'react'
import { LoadError } from '../../app/api/load-error.tsx'
import { lazyPart } from '../../ui/lazy-part.ts'
import { TabSkeleton } from './layout.tsx'
import { OptionFormProvider, useCreateOptionForm } from './options/form.ts'
import { optionsQuery, type StoredOptions } from './options/queries.ts'
import { SaveBar } from './options/save-bar.tsx'
import type { SettingTab } from './search-params.ts'

const operation = lazyPart(async () => (await import('./operation/page.tsx')).OperationTab)
const system = lazyPart(async () => (await import('./system/page.tsx')).SystemTab)
const other = lazyPart(async () => (await import('./other/page.tsx')).OtherTab)

interface RootSettingsProps {
  readonly tab: SettingTab
  readonly personal: ReactNode
}

/** Loads the options once for all tabs. Edits survive switching between tabs. */
export function RootSettings(props: RootSettingsProps) {
  const { data, error, isFetching, refetch } = useQuery(optionsQuery)
  if (data) return <WithOptions {...props} stored={data} />
  if (props.tab === 'personal') return props.personal
  if (error) return <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />
  return <TabSkeleton />
}

function WithOptions({ tab, personal, stored }: RootSettingsProps & { readonly stored: StoredOptions }) {
  const form = useCreateOptionForm(stored)
  return (
    <OptionFormProvider value={form}>
      <Suspense fallback={<TabSkeleton />}>
        {tab === 'personal' && personal}
        {tab === 'operation' && <operation.Part />}
        {tab === 'system' && <system.Part />}
        {tab === 'other' && <other.Part />}
      </Suspense>
      <SaveBar path="/setting" />
    </OptionFormProvider>
  )
}
