import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { DateTimeInput } from '../app/time/date-time-input.tsx'
import { Button, CopyButton, IconButton } from '../ui/buttons/buttons.tsx'
import { MenuButton } from '../ui/buttons/popup-buttons.tsx'
import type { ButtonSize, ButtonVariant } from '../ui/class-names.ts'
import { Combobox, MultiCombobox } from '../ui/forms/combobox.tsx'
import { Checkbox, Field, SegmentedChoice, Switch } from '../ui/forms/fields.tsx'
import { JsonEditor } from '../ui/forms/json-editor.tsx'
import {
  InputField,
  NumberField,
  PasswordField,
  SelectField,
  TextAreaField,
} from '../ui/forms/labelled-inputs.tsx'
import { KitSection } from './section.tsx'
import { useScreenText } from './text.ts'

const BROKEN_JSON = '{\n  "gpt-4o": "gpt-4o-mini",\n  broken\n}'

export function KitFields() {
  const t = useScreenText()
  return (
    <KitSection title={t('fields')}>
      <div className="grid gap-5 md:grid-cols-2">
        <InputField label={t('label')} help={t('help')} isRequired defaultValue={t('sample')} />
        <InputField label={t('label')} error={t('wrong')} prefix="$" suffix="USD" />
        <InputField label={t('off')} disabled value={t('sample')} readOnly />
        <PasswordField label={t('label')} autoComplete="new-password" defaultValue="secret" />
        <TextAreaField label={t('label')} isMono defaultValue="10.0.0.0/8" />
        <KitControlled />
      </div>
    </KitSection>
  )
}

function KitControlled() {
  const t = useScreenText()
  const [number, setNumber] = useState('3')
  const [choice, setChoice] = useState('1')
  const [many, setMany] = useState<readonly string[]>(['gpt-4o', 'claude-sonnet-4'])
  const [date, setDate] = useState('2026-11-21 08:05:09')
  const [json, setJson] = useState(BROKEN_JSON)
  const options = [
    { value: '1', label: t('one') },
    { value: '2', label: t('two') },
  ]
  return (
    <>
      <NumberField label={t('amount')} value={number} onChange={setNumber} min={0} />
      <SelectField label={t('label')} options={options} value={choice} onChange={setChoice} />
      <Field label={t('label')}>
        {control => <Combobox {...control} options={options} value={choice} onChange={setChoice} />}
      </Field>
      <Field label={t('label')}>
        {control => (
          <MultiCombobox
            {...control}
            isMono
            isFree
            options={['gpt-4o', 'gpt-4o-mini']}
            value={many}
            onChange={setMany}
          />
        )}
      </Field>
      <Field label={t('label')}>
        {control => <DateTimeInput {...control} value={date} onChange={setDate} />}
      </Field>
      <Field label={t('label')}>
        {control => <JsonEditor {...control} value={json} onChange={setJson} template="{}" />}
      </Field>
      <div className="grid content-start gap-4">
        <Checkbox defaultChecked>{t('one')}</Checkbox>
        <Checkbox isMixed>{t('two')}</Checkbox>
        <Checkbox disabled>{t('off')}</Checkbox>
        <Switch label={t('one')} help={t('help')} defaultChecked />
        <Switch label={t('off')} disabled />
      </div>
      <SegmentedChoice label={t('choices')} options={options} value={choice} onChange={setChoice} />
    </>
  )
}

const LOOKS: ReadonlyArray<
  readonly [ButtonVariant, 'primary' | 'normal' | 'ghost' | 'danger' | 'dangerText']
> = [
  ['primary', 'primary'],
  ['default', 'normal'],
  ['ghost', 'ghost'],
  ['danger', 'danger'],
  ['danger-text', 'dangerText'],
]
const SIZES: readonly ButtonSize[] = ['small', 'normal', 'large']

export function KitButtons() {
  const t = useScreenText()
  const nothing = () => undefined
  return (
    <KitSection title={t('buttons')}>
      {SIZES.map(size => (
        <div key={size} className="flex flex-wrap items-center gap-3">
          {LOOKS.map(([look, label]) => (
            <Button key={look} variant={look} size={size}>
              {t(label)}
            </Button>
          ))}
          <Button variant="primary" size={size} icon={Plus} isBusy>
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
