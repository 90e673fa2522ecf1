import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { Switch } from '../../../ui/forms/checkbox.tsx'
import { MultiCombobox } from '../../../ui/forms/combobox.tsx'
import { NumberInput } from '../../../ui/forms/number-inputs.tsx'
import { TextInput } from '../../../ui/forms/text-inputs.tsx'
import { SheetSection } from '../../../ui/overlays/sheet.tsx'
import { useText } from '../../../ui/text/text.ts'
import { groupsQuery, tagsQuery } from '../queries.ts'
import { type ChannelFormState, FormField } from './form-field.tsx'
import { sheetText } from './text.ts'

/** Who may use the channel, and when it is chosen among others. */
export function RoutingSection({ form }: { readonly form: ChannelFormState }) {
  const t = useText(sheetText)
  const list = useId()
  const { data: groups = [] } = useQuery(groupsQuery)
  const { data: tags = [] } = useQuery(tagsQuery)
  return (
    <SheetSection title={t('routing')}>
      <FormField form={form} name="groups" label={t('groups')} isRequired help={t('groupsHelp')}>
        {(field, control) => (
          <MultiCombobox {...control} options={groups} value={field.value} onChange={field.onChange} />
        )}
      </FormField>
      <FormField form={form} name="tag" label={t('tag')} help={t('tagHelp')}>
        {(field, control) => (
          <>
            <TextInput
              {...control}
              list={list}
              value={field.value}
              onChange={event => field.onChange(event.target.value)}
              onBlur={field.onBlur}
            />
            <datalist id={list}>
              {tags.map(tag => (
                <option key={tag} value={tag} />
              ))}
            </datalist>
          </>
        )}
      </FormField>
      <div className="grid gap-5 sm:grid-cols-2">
        <FormField form={form} name="priority" label={t('priority')} help={t('priorityHelp')}>
          {(field, control) => <NumberInput {...control} {...field} />}
        </FormField>
        <FormField form={form} name="weight" label={t('weight')} help={t('weightHelp')}>
          {(field, control) => <NumberInput {...control} {...field} min={0} />}
        </FormField>
        <FormField form={form} name="concurrency" label={t('concurrency')} help={t('concurrencyHelp')}>
          {(field, control) => <NumberInput {...control} {...field} min={0} />}
        </FormField>
        <FormField form={form} name="perMinute" label={t('perMinute')} help={t('perMinuteHelp')}>
          {(field, control) => <NumberInput {...control} {...field} min={0} />}
        </FormField>
      </div>
      <Switch
        label={t('autoBan')}
        help={t('autoBanHelp')}
        checked={form.watch('isAutoBan')}
        onChange={event => form.setValue('isAutoBan', event.target.checked, { shouldDirty: true })}
      />
    </SheetSection>
  )
}
