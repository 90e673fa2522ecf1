import { Inbox } from 'lucide-react'
import { Suspense, useState } from 'react'
import { Kbd } from '../app/shell/shortcut-sheet.tsx'
import { Button, Spinner } from '../ui/buttons/buttons.tsx'
import { type BadgeMark, StatusBadge, Tag, type Tone } from '../ui/data/badges.tsx'
import { KeyValues } from '../ui/data/facts.tsx'
import { Banner, type BannerTone, EmptyState, Meter, Skeleton } from '../ui/feedback/feedback.tsx'
import { SecretField } from '../ui/forms/secret-field.tsx'
import { lazyPart } from '../ui/lazy-part.ts'
import { confirm, type ToastKind, toast } from '../ui/overlays/messages.tsx'
import { CodeSnippet } from '../ui/text/code-snippet.tsx'
import { KitSection } from './section.tsx'
import { useScreenText } from './text.ts'

const BANNERS: readonly BannerTone[] = ['info', 'success', 'warning', 'danger']
const TOASTS: readonly ToastKind[] = ['info', 'success', 'warning', 'error']
const sheet = lazyPart(async () => (await import('../ui/overlays/sheet.tsx')).Sheet)

export function KitMessages() {
  const t = useScreenText()
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

const TONES: ReadonlyArray<readonly [Tone, BadgeMark]> = [
  ['success', 'filled'],
  ['lime', 'filled'],
  ['neutral', 'hollow'],
  ['warning', 'triangle'],
  ['warning', 'clock'],
  ['danger', 'cross'],
  ['info', 'none'],
  ['unknown', 'none'],
]
const SHARES = [0.1, 0.85, 1] as const

export function KitStates() {
  const t = useScreenText()
  return (
    <KitSection title={t('states')}>
      <div className="flex flex-wrap items-center gap-2">
        {TONES.map(([tone, mark]) => (
          <StatusBadge key={`${tone} ${mark}`} tone={tone} mark={mark} reason={t('sentence')}>
            {t('sample')}
          </StatusBadge>
        ))}
      </div>
      <div className="flex flex-wrap items-center gap-2">
        {['default', 'vip', 'svip', 'premium'].map(group => (
          <Tag key={group} hasSwatch>
            {group}
          </Tag>
        ))}
        <Tag isMono onClick={() => undefined} hint={t('open')}>
          gpt-4o-mini
        </Tag>
        <Kbd keys="g t" />
        <Spinner />
      </div>
      <div className="grid gap-5 md:grid-cols-2">
        <div className="grid content-start gap-3">
          {SHARES.map(share => (
            <Meter key={share} label={t('amount')} share={share} text={`${share * 100}%`} />
          ))}
          <Skeleton className="h-9 w-full" />
        </div>
        <SecretField secret="sk-0123456789abcdef" label={t('label')} head="sk-" />
        <KeyValues
          items={[
            { label: t('name'), value: t('sample') },
            { label: t('amount'), value: '1,204' },
          ]}
        />
      </div>
    </KitSection>
  )
}
