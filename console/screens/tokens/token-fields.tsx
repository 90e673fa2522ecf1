import { useQuery } from '@tanstack/react-query'
import { Controller, useFormContext, useWatch } from 'react-hook-form'
import { TOKEN_LIMIT_MAX } from '#contract/tokens.ts'
import { formatDateTime } from '../../app/time.ts'
import { DateTimeInput } from '../../ui/date-time-input.tsx'
import { Field } from '../../ui/field.tsx'
import { MultiCombobox } from '../../ui/multi-combobox.tsx'
import { NumberInput } from '../../ui/number-input.tsx'
import { Presets } from '../../ui/presets.tsx'
import { SheetSection } from '../../ui/sheet-section.tsx'
import { Switch } from '../../ui/switch.tsx'
import { useText } from '../../ui/text.ts'
import { TextArea } from '../../ui/text-area.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import { GroupField } from './group-field.tsx'
import { modelsQuery } from './queries.ts'
import { QuotaFields } from './quota-fields.tsx'
import { text } from './text.ts'
import type { TokenFormValues } from './token-form-values.ts'

interface TokenFieldsProps {
  readonly isNew: boolean
  /** Unix seconds. */
  readonly now: () => number
}

export function TokenFields({ isNew, now }: TokenFieldsProps) {
  const t = useText(text)
  return (
    <>
      <SheetSection title={t('sectionBasics')}>
        <NameField />
        <GroupField />
        <ExpiryField now={now} />
      </SheetSection>
      <SheetSection title={t('sectionQuota')}>
        <QuotaFields isNew={isNew} />
      </SheetSection>
      <SheetSection title={t('sectionLimits')}>
        <ModelFields />
        <AddressField />
        <LimitField name="concurrency" label={t('concurrency')} help={t('concurrencyHelp')} />
        <LimitField name="perMinute" label={t('perMinute')} help={t('perMinuteHelp')} />
      </SheetSection>
    </>
  )
}

function NameField() {
  const t = useText(text)
  const { register, formState } = useFormContext<TokenFormValues>()
  return (
    <Field name="name" label={t('name')} isRequired error={formState.errors.name?.message}>
      {control => <TextInput {...control} {...register('name')} placeholder={t('namePlaceholder')} />}
    </Field>
  )
}

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const MONTH = 30 * DAY

function ExpiryField({ now }: { readonly now: () => number }) {
  const t = useText(text)
  const { setValue, formState } = useFormContext<TokenFormValues>()
  const pick = (seconds: number) =>
    setValue('expiry', seconds === 0 ? '' : formatDateTime(now() + seconds), {
      shouldDirty: true,
      shouldValidate: true,
    })
  return (
    <div className="grid gap-2">
      <Field
        name="expiry"
        label={t('expires')}
        help={t('expiresHelp')}
        error={formState.errors.expiry?.message}
      >
        {control => (
          <Controller<TokenFormValues, 'expiry'>
            name="expiry"
            render={({ field: { ref: _, ...field } }) => (
              <DateTimeInput {...control} {...field} placeholder={t('never')} />
            )}
          />
        )}
      </Field>
      <Presets
        label={t('expiryPresets')}
        onPick={pick}
        options={[
          { value: 0, label: t('never') },
          { value: MINUTE, label: t('inMinute') },
          { value: HOUR, label: t('inHour') },
          { value: DAY, label: t('inDay') },
          { value: MONTH, label: t('inMonth') },
        ]}
      />
    </div>
  )
}

function ModelFields() {
  const t = useText(text)
  const { register, formState } = useFormContext<TokenFormValues>()
  const isLimited = useWatch<TokenFormValues, 'isLimited'>({ name: 'isLimited' })
  const { data: models = [] } = useQuery(modelsQuery)
  return (
    <>
      <Switch label={t('limitModels')} help={t('limitModelsHelp')} {...register('isLimited')} />
      <Field name="models" label={t('allowedModels')} error={formState.errors.models?.message}>
        {control => (
          <Controller<TokenFormValues, 'models'>
            name="models"
            render={({ field }) => (
              <MultiCombobox
                {...control}
                isMono
                isFree
                options={models}
                value={field.value}
                onChange={field.onChange}
                disabled={!isLimited}
                placeholder={t('allowedModelsPlaceholder')}
              />
            )}
          />
        )}
      </Field>
    </>
  )
}

function AddressField() {
  const t = useText(text)
  const { register, formState } = useFormContext<TokenFormValues>()
  return (
    <Field
      name="addresses"
      label={t('allowIps')}
      help={t('allowIpsHelp')}
      error={formState.errors.addresses?.message}
    >
      {control => (
        <TextArea
          {...control}
          {...register('addresses')}
          isMono
          rows={3}
          placeholder={'192.168.1.0/24\n2001:db8::1'}
        />
      )}
    </Field>
  )
}

interface LimitFieldProps {
  readonly name: 'concurrency' | 'perMinute'
  readonly label: string
  readonly help: string
}

function LimitField({ name, label, help }: LimitFieldProps) {
  const { formState } = useFormContext<TokenFormValues>()
  return (
    <Field name={name} label={label} help={help} error={formState.errors[name]?.message}>
      {control => (
        <Controller<TokenFormValues, LimitFieldProps['name']>
          name={name}
          render={({ field: { ref: _, ...field } }) => (
            <NumberInput {...control} {...field} min={0} max={TOKEN_LIMIT_MAX} />
          )}
        />
      )}
    </Field>
  )
}
