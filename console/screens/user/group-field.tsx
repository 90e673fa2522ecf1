import { useQuery } from '@tanstack/react-query'
import { Controller, useFormContext } from 'react-hook-form'
import { Combobox } from '../../ui/combobox.tsx'
import { Field } from '../../ui/field.tsx'
import { useText } from '../../ui/text.ts'
import { groupsQuery } from './queries.ts'
import { text } from './text.ts'
import type { UserFormValues } from './user-form-values.ts'

/** The group of a user. One that is no longer kept stays until another is chosen. */
export function GroupField() {
  const t = useText(text)
  const { control: form } = useFormContext<UserFormValues>()
  const { data: groups = [] } = useQuery(groupsQuery)
  return (
    <Controller
      control={form}
      name="group"
      render={({ field }) => (
        <Field name="group" label={t('group')} help={t('groupHelp')}>
          {control => (
            <Combobox
              {...control}
              options={[...new Set([...groups, field.value])].map(value => ({ value, label: value }))}
              value={field.value}
              onChange={field.onChange}
              onBlur={field.onBlur}
            />
          )}
        </Field>
      )}
    />
  )
}
