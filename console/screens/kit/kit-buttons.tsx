import { Pencil, Plus, Trash2 } from 'lucide-react'
import { Button, IconButton } from '../../ui/buttons/button.tsx'
import type { ButtonLook, ButtonSize } from '../../ui/class-names.ts'
import { CopyButton } from '../../ui/buttons/copy-button.tsx'
import { MenuButton } from '../../ui/buttons/popup-buttons.tsx'
import { useText } from '../../ui/text/text.ts'
import { KitSection } from './kit-section.tsx'
import { text } from './text.ts'

const LOOKS: ReadonlyArray<readonly [ButtonLook, 'primary' | 'normal' | 'ghost' | 'danger' | 'dangerText']> =
  [
    ['primary', 'primary'],
    ['default', 'normal'],
    ['ghost', 'ghost'],
    ['danger', 'danger'],
    ['danger-text', 'dangerText'],
  ]
const SIZES: readonly ButtonSize[] = ['small', 'normal', 'large']

export function KitButtons() {
  const t = useText(text)
  const nothing = () => undefined
  return (
    <KitSection title={t('buttons')}>
      {SIZES.map(size => (
        <div key={size} className="flex flex-wrap items-center gap-3">
          {LOOKS.map(([look, label]) => (
            <Button key={look} look={look} size={size}>
              {t(label)}
            </Button>
          ))}
          <Button look="primary" size={size} icon={Plus} isBusy>
            {t('busy')}
          </Button>
          <Button size={size} disabled>
            {t('off')}
          </Button>
          <IconButton label={t('open')} icon={Pencil} size={size} />
          <MenuButton
            label={t('open')}
            size={size}
            items={[
              [
                { label: t('one'), icon: Pencil, onSelect: nothing },
                { label: t('off'), icon: Plus, isDisabled: true, onSelect: nothing },
              ],
              [{ label: t('danger'), icon: Trash2, isDanger: true, onSelect: nothing }],
            ]}
          />
          <CopyButton text={t('sample')} label={t('sample')} />
        </div>
      ))}
    </KitSection>
  )
}
