import { Inbox } from 'lucide-react'
import { Suspense, useState } from 'react'
import { Banner, type BannerTone } from '../../ui/feedback/banner.tsx'
import { Button } from '../../ui/buttons/button.tsx'
import { CodeSnippet } from '../../ui/text/code-snippet.tsx'
import { confirm } from '../../ui/overlays/confirm.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { lazyPart } from '../../ui/lazy-part.ts'
import { useText } from '../../ui/text/text.ts'
import { type ToastKind, toast } from '../../ui/overlays/toast.tsx'
import { KitSection } from './kit-section.tsx'
import { text } from './text.ts'

const BANNERS: readonly BannerTone[] = ['info', 'success', 'warning', 'danger']
const TOASTS: readonly ToastKind[] = ['info', 'success', 'warning', 'error']
const sheet = lazyPart(async () => (await import('../../ui/overlays/sheet.tsx')).Sheet)

export function KitMessages() {
  const t = useText(text)
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  const ask = () =>
    void confirm({ title: t('question'), text: t('effect'), action: t('danger'), isDanger: true })
  return (
    <KitSection title={t('messages')}>
      {BANNERS.map(tone => (
        <Banner key={tone} tone={tone} onClose={() => undefined}>
          {t('sentence')}
        </Banner>
      ))}
      <div className="flex flex-wrap gap-3">
        {TOASTS.map(kind => (
          <Button key={kind} onClick={() => toast(kind, t('sentence'))}>
            {kind}
          </Button>
        ))}
        <Button onClick={ask}>{t('question')}</Button>
        <Button onClick={() => setOpen(true)}>{t('open')}</Button>
      </div>
      <CodeSnippet
        label={t('sample')}
        snippets={[{ name: 'curl', code: 'curl https://…', copied: 'curl' }]}
      />
      <EmptyState
        icon={Inbox}
        title={t('nothing')}
        text={t('nothingText')}
        action={<Button>{t('open')}</Button>}
      />
      <Suspense fallback={null}>
        {isOpen && (
          <sheet.Part
            title={t('overlays')}
            onClose={close}
            footer={<Button onClick={close}>{t('open')}</Button>}
          >
            {t('sentence')}
          </sheet.Part>
        )}
      </Suspense>
    </KitSection>
  )
}
