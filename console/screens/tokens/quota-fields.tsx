import { Controller, useFormContext, useWatch } from 'react-hook-form'
import { quotaOfDollars } from '../../app/money.ts'
import { MoneyInput } from '../../app/money-input.tsx'
import { useMoney } from '../../app/use-money.ts'
import { Field } from '../../ui/field.tsx'
import { NumberInput } from '../../ui/number-input.tsx'
import { Presets } from '../../ui/presets.tsx'
import { Switch } from '../../ui/switch.tsx'
import { useText } from '../../ui/text.ts'
import { text } from './text.ts'
import { COUNT_MAX, type TokenFormValues } from './token-form-values.ts'

const DOLLARS = [1, 10, 50, 100, 500, 1000] as const
const COUNTS = [10, 20, 30, 100] as const

/** The token's own limit, and how many tokens get it. */
export function QuotaFields({ isNew }: { readonly isNew: boolean }) {
  const t = useText(text)
  const { quotaPerUnit } = useMoney()
  const { register, setValue, formState } = useFormContext<TokenFormValues>()
  const isUnlimited = useWatch<TokenFormValues, 'isUnlimited'>({ name: 'isUnlimited' })
  const pick = (dollars: number) =>
    setValue('quota', String(quotaOfDollars(dollars, quotaPerUnit)), {
      shouldDirty: true,
      shouldValidate: true,
    })
  return (
    <>
      <div className="grid gap-2">
        <Field name="quota" label={t('quota')} help={t('quotaHelp')} error={formState.errors.quota?.message}>
          {control => (
            <Controller<TokenFormValues, 'quota'>
              name="quota"
              render={({ field: { ref: _, ...field } }) => (
                <MoneyInput {...control} {...field} disabled={isUnlimited} />
              )}
            />
          )}
        </Field>
        <Presets
          label={t('quotaPresets')}
          disabled={isUnlimited}
          onPick={pick}
          options={DOLLARS.map(value => ({ value, label: `$${value}` }))}
        />
      </div>
      <Switch label={t('unlimitedQuota')} help={t('unlimitedHelp')} {...register('isUnlimited')} />
      {isNew && <CountField />}
    </>
  )
}

function CountField() {
  const t = useText(text)
  const { setValue, formState } = useFormContext<TokenFormValues>()
  return (
    <div className="grid gap-2">
      <Field name="count" label={t('count')} help={t('countHelp')} error={formState.errors.count?.message}>
        {control => (
          <Controller<TokenFormValues, 'count'>
            name="count"
            render={({ field: { ref: _, ...field } }) => (
              <NumberInput {...control} {...field} min={1} max={COUNT_MAX} />
            )}
          />
        )}
      </Field>
      <Presets
        label={t('countPresets')}
        onPick={count => setValue('count', String(count), { shouldDirty: true, shouldValidate: true })}
        options={COUNTS.map(value => ({ value, label: t('countUnit', { count: value }) }))}
      />
    </div>
  )
}
