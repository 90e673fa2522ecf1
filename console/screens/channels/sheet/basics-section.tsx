import type { ChannelType } from '#contract/channels.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Combobox } from '../../../ui/combobox.tsx'
import { Monogram } from '../../../ui/monogram.tsx'
import { SheetSection } from '../../../ui/sheet-section.tsx'
import { useLanguage, useText } from '../../../ui/text.ts'
import { TextInput } from '../../../ui/text-input.tsx'
import { text } from '../text.ts'
import { type ChannelFormState, FormField } from './form-field.tsx'
import { KeyField } from './key-field.tsx'
import { useTypeChange } from './use-type-change.ts'

const VERSION_AT_END = /\/v1\/*$/

interface BasicsSectionProps {
  readonly form: ChannelFormState
  readonly types: ReadonlyMap<number, ChannelType>
  readonly isNew: boolean
}

/** Which vendor, under which name, at which address, with which key. */
export function BasicsSection({ form, types, isNew }: BasicsSectionProps) {
  const t = useText(text)
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
      <FormField form={form} name="type" label={t('type')} isRequired>
        {(field, control) => (
          <Combobox
            {...control}
            options={options}
            value={field.value}
            onChange={changeType}
            onBlur={field.onBlur}
          />
        )}
      </FormField>
      {notice && <Banner tone="info">{notice}</Banner>}
      <FormField form={form} name="name" label={t('name')} isRequired>
        {(field, control) => (
          <TextInput
            {...control}
            value={field.value}
            placeholder={t('namePlaceholder')}
            onChange={event => field.onChange(event.target.value)}
            onBlur={field.onBlur}
          />
        )}
      </FormField>
      {type?.form.base_url !== 'hidden' && (
        <FormField
          form={form}
          name="base_url"
          label={type?.form.base_url_label?.[language] ?? t('baseUrl')}
          isRequired={type?.form.base_url === 'required'}
          help={VERSION_AT_END.test(address) && type?.base_url ? t('versionAtEnd') : undefined}
        >
          {(field, control) => (
            <TextInput
              {...control}
              isMono
              inputMode="url"
              value={field.value}
              placeholder={type?.base_url}
              onChange={event => field.onChange(event.target.value)}
              onBlur={field.onBlur}
            />
          )}
        </FormField>
      )}
      <KeyField form={form} type={type} isNew={isNew} />
      {other && (
        <FormField form={form} name="other" label={other.label[language]} isRequired={other.is_required}>
          {(field, control) => (
            <TextInput
              {...control}
              isMono
              value={field.value}
              placeholder={other.placeholder}
              onChange={event => field.onChange(event.target.value)}
              onBlur={field.onBlur}
            />
          )}
        </FormField>
      )}
      {type?.form.has_organization && (
        <FormField form={form} name="openai_organization" label={t('organization')}>
          {(field, control) => (
            <TextInput
              {...control}
              isMono
              value={field.value}
              placeholder="org-…"
              onChange={event => field.onChange(event.target.value)}
              onBlur={field.onBlur}
            />
          )}
        </FormField>
      )}
    </SheetSection>
  )
}
