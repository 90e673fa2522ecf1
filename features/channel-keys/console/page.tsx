import { Suspense } from 'react'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { PageHeader } from '#console/ui/text/page-header.tsx'
import { useScreenText } from './text.ts'

/** Searchable lists are big, so they come after the page. */
const form = lazyPart(async () => (await import('./form.tsx')).ChannelKeysForm)

export function ChannelKeysPage() {
  const t = useScreenText()
  return (
    <>
      <PageHeader title={t('title')} />
      <p className="-mt-2 mb-4 max-w-180 text-muted">{t('intro')}</p>
      <Suspense fallback={<Skeleton className="h-64 w-full max-w-220" />}>
        <form.Part />
      </Suspense>
    </>
  )
}
