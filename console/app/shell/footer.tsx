import { Suspense } from 'react'
import { lazyPart } from '../../ui/lazy-part.ts'
import { useText } from '../../ui/text.ts'
import { appText } from '../app-text.ts'
import { useStatus } from '../status.ts'

const html = lazyPart(async () => (await import('../../ui/rich-text.tsx')).RichText)

/** The installation's own footer, or the version. */
export function Footer() {
  const t = useText(appText)
  const { footer_html: own, version } = useStatus()
  return (
    <footer className="px-4 pt-2 pb-6 text-center text-caption text-subtle">
      {own === '' ? (
        <span>
          {t('credit')}
          {version && ` · ${t('version', { version })}`}
        </span>
      ) : (
        <Suspense fallback={null}>
          <html.Part source={own} />
        </Suspense>
      )}
    </footer>
  )
}
