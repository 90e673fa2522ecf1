import { Suspense } from 'react'
import { FramedPage } from '#console/app/shell/framed-page.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'

const richText = lazyPart(async () => (await import('#console/ui/text/rich-text.tsx')).RichText)

const FRAMED = /^https:\/\/\S+$/

interface SiteContentProps {
  /** The operator's content: an https URL to embed, else Markdown or HTML. */
  readonly source: string
  readonly title: string
}

/** A page with the operator's content. */
export function SiteContent({ source, title }: SiteContentProps) {
  const address = source.trim()
  if (FRAMED.test(address) && URL.canParse(address)) {
    return (
      <div className="-mx-3 -my-4 sm:-mx-4 lg:-m-6">
        <FramedPage address={address} title={title} />
      </div>
    )
  }
  return (
    <div className="mx-auto max-w-190 py-4">
      <Suspense fallback={null}>
        <richText.Part source={source} />
      </Suspense>
    </div>
  )
}
