import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { MultiCombobox } from '#console/ui/forms/combobox.tsx'
import { Switch, TextInput } from '#console/ui/forms/fields.tsx'
import { NumberInput } from '#console/ui/forms/number-inputs.tsx'
import { SheetSection } from '#console/ui/overlays/sheet.tsx'
import { groupsQuery, tagsQuery } from '../queries.ts'
import { type ChannelFormState, FormField } from './form-field.tsx'
import { useSheetText } from './text.ts'

const NUMBERS = ['priority', 'weight', 'max_concurrency', 'requests_per_minute'] as const

/** The groups that may use the channel, and the values that decide when it is chosen. */
export function RoutingSection({ form }: { readonly form: ChannelFormState }) {
  const t = useSheetText()
  const list = useId()
  const { data: groups = [] } = useQuery(groupsQuery)
  const { data: tags = [] } = useQuery(tagsQuery)
  return (
    <SheetSection title={t('routing')}>
      <FormField form={form} name="groups" label={t('groups')} isRequired help={t('groups_help')}>
        {(field, control) => (
          <MultiCombobox {...control} options={groups} value={field.value} onChange={field.onChange} />
        )}
      </FormField>
      <FormField form={form} name="tag" label={t('tag')} help={t('tag_help')}>
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
        {NUMBERS.map(name => (
          <FormField key={name} form={form} name={name} label={t(name)} help={t(`${name}_help`)}>
            {(field, control) => (
              <NumberInput {...control} {...field} {...(name === 'priority' ? {} : { min: 0 })} />
            )}
          </FormField>
        ))}
      </div>
      <Switch
        label={t('auto_ban')}
        help={t('auto_ban_help')}
        checked={form.watch('auto_ban')}
        onChange={event => form.setValue('auto_ban', event.target.checked, { shouldDirty: true })}
      />
    </SheetSection>
  )
}
