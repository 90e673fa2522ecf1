import type { ChannelType } from '#contract/channels.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Combobox } from '../../../ui/combobox.tsx'
import { Monogram } from '../../../ui/monogram.tsx'
import { SheetSection } from '../../../ui/sheet-section.tsx'
import { useLanguage, useText } from '../../../ui/text.ts'
import { type ChannelFormState, FormField } from './form-field.tsx'
import { KeyField } from './key-field.tsx'
import { sheetText } from './sheet-text.ts'
import { TextField } from './text-field.tsx'
import { useTypeChange } from './use-type-change.ts'

const VERSION_AT_END = /\/v1\/*$/

interface BasicsSectionProps {
  readonly form: ChannelFormState
  readonly types: ReadonlyMap<number, ChannelType>
  readonly isNew: boolean
}

/** Which vendor, under which name, at which address, with which key. */
export function BasicsSection({ form, types, isNew }: BasicsSectionProps) {
  const t = useText(sheetText)
  const language = useLanguage()
  const changeType = useTypeChange(form, types)
  const { type: typed, base_url: address } = form.watch()
  const type = types.get(Number(typed))
  const options = [...types.values()].map(({ type, name }) => ({
    value: String(type),
    label: name,
    icon: <Monogram name={name} />,
  }))
  const notice = type?.form.notice?.[language]
  const other = type?.form.other
  return (
    <SheetSection title={t('basics')}>
      {notice && <Banner tone="info">{notice}</Banner>}
      <div className="grid items-start gap-5 2xl:grid-cols-2">
        <FormField form={form} name="type" label={t('type')} isRequired>
          {(field, control) => (
            <Combobox
              {...control}
              options={options}
              value={field.value}
              onChange={chosen => void changeType(chosen)}
              onBlur={field.onBlur}
            />
          )}
        </FormField>
        <TextField form={form} name="name" label={t('name')} isRequired placeholder={t('namePlaceholder')} />
        {type?.form.base_url !== 'hidden' && (
          <TextField
            form={form}
            name="base_url"
            label={type?.form.base_url_label?.[language] ?? t('baseUrl')}
            isRequired={type?.form.base_url === 'required'}
            isMono
            inputMode="url"
            placeholder={type?.base_url}
            help={VERSION_AT_END.test(address) && type?.base_url ? t('versionAtEnd') : undefined}
          />
        )}
        <KeyField form={form} type={type} isNew={isNew} />
        {other && (
          <TextField
            form={form}
            name="other"
            label={other.label[language]}
            isRequired={other.is_required}
            isMono
            placeholder={other.placeholder}
          />
        )}
        {type?.form.has_organization && (
          <TextField
            form={form}
            name="openai_organization"
            label={t('organization')}
            isMono
            placeholder="org-…"
          />
        )}
      </div>
    </SheetSection>
  )
}
