import { useQuery } from '@tanstack/react-query'
import { Controller } from 'react-hook-form'
import { Combobox } from '../../ui/combobox.tsx'
import { Field } from '../../ui/field.tsx'
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx'
import { useText } from '../../ui/text.ts'
import { groupsQuery } from './queries.ts'
import { text } from './text.ts'
import type { TokenFormValues } from './token-form-values.ts'

const LIST_PRICE = 1
const RATIO_TONES: ReadonlyArray<readonly [number, Tone]> = [
  [5, 'danger'],
  [3, 'warning'],
  [LIST_PRICE, 'info'],
]

const toneOf = (ratio: number): Tone => RATIO_TONES.find(([above]) => ratio > above)?.[1] ?? 'success'

/** The groups that this user may choose, with what they do to the price. */
export function GroupField() {
  const t = useText(text)
  const { data: groups = {} } = useQuery(groupsQuery)
  const options = [
    { value: '', label: t('ownGroup') },
    ...Object.entries(groups).map(([value, { desc, ratio }]) => ({
      value,
      label: value,
      hint: desc,
      badge: (
        <StatusBadge tone={toneOf(ratio)} mark="none">
          {`${ratio}×`}
        </StatusBadge>
      ),
    })),
  ]
  return (
    <Controller<TokenFormValues, 'group'>
      name="group"
      render={({ field }) => {
        const ratio = groups[field.value]?.ratio
        const price =
          ratio === undefined ? undefined : ratio === LIST_PRICE ? t('groupList') : t('groupPrice', { ratio })
        return (
          <Field name="group" label={t('group')} help={t('groupHelp')} aside={price}>
            {control => (
              <Combobox
                {...control}
                options={options}
                value={field.value}
                onChange={field.onChange}
                onBlur={field.onBlur}
              />
            )}
          </Field>
        )
      }}
    />
  )
}
