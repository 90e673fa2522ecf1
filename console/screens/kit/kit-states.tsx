import { Kbd } from '../../app/shell/shortcut-sheet.tsx'
import { KeyValues } from '../../ui/data/facts.tsx'
import { Meter, Skeleton } from '../../ui/feedback/progress.tsx'
import { SecretField } from '../../ui/forms/secret-field.tsx'
import { Spinner } from '../../ui/buttons/button.tsx'
import { type BadgeMark, StatusBadge, type Tone } from '../../ui/data/status-badge.tsx'
import { Tag } from '../../ui/data/tag.tsx'
import { useText } from '../../ui/text/text.ts'
import { KitSection } from './kit-section.tsx'
import { text } from './text.ts'

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
  const t = useText(text)
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
