import { Suspense } from 'react'
import { lazyPart } from '../ui/lazy-part.ts'
import { FramedPage } from './framed-page.tsx'

const richText = lazyPart(async () => (await import('../ui/rich-text.tsx')).RichText)

const FRAMED = /^https:\/\/\S+$/

interface SiteContentProps {
  /** What the operator has written: an https address to frame, else Markdown or HTML. */
  readonly source: string
  readonly title: string
}

/** A page of the operator's own. */
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
