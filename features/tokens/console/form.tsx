import { useQuery } from '@tanstack/react-query'
import { Controller, useFormContext, useWatch } from 'react-hook-form'
import { formatDateTime } from '#console/app/format/format.tsx'
import { NumberFormField, QuotaFormField, TextFormField } from '#console/app/forms/form-fields.tsx'
import { DateTimeInput } from '#console/app/time/date-time-input.tsx'
import { StatusBadge, type Tone } from '#console/ui/data/badges.tsx'
import { Combobox, MultiCombobox } from '#console/ui/forms/combobox.tsx'
import { Field, Select, Switch, TextArea } from '#console/ui/forms/fields.tsx'
import { Presets } from '#console/ui/forms/number-inputs.tsx'
import { SheetSection } from '#console/ui/overlays/sheet.tsx'
import { LIMIT_MAX } from '#contract/entities/stored.ts'
import { REQUEST_POLICIES } from '#contract/enums.ts'
import { COUNT_MAX, type TokenFormValues } from './form-schema.ts'
import { groupsQuery, modelsQuery } from './queries.ts'
import { useScreenText } from './text.ts'

/** Limits of requests, in the order of the form. */
const LIMITS = ['max_concurrency', 'requests_per_minute'] as const
/** Requests that the provider may bill at another price. */
const POLICIES = ['service_tier', 'server_tools'] as const
const DOLLARS = [1, 10, 50, 100, 500, 1000] as const
const COUNTS = [10, 20, 30, 100] as const

interface TokenFormFieldsProps {
  readonly isNew: boolean
  /** Unix seconds. */
  readonly now: () => number
}

/** The fields of the token form, named as the contract names them. */
export function TokenFormFields({ isNew, now }: TokenFormFieldsProps) {
  const t = useScreenText()
  const { register } = useFormContext<TokenFormValues>()
  const isUnlimited = useWatch<TokenFormValues, 'unlimited_quota'>({ name: 'unlimited_quota' })
  return (
    <>
      <SheetSection title={t('sectionBasics')}>
        <TextFormField name="name" label={t('name')} isRequired placeholder={t('namePlaceholder')} />
        <GroupField />
        <ExpiryField now={now} />
      </SheetSection>
      <SheetSection title={t('sectionQuota')}>
        <QuotaFormField
          name="remain_quota"
          label={t('remain_quota')}
          help={t('remain_quota_help')}
          disabled={isUnlimited}
          presets={{ label: t('quotaPresets'), dollars: DOLLARS }}
        />
        <Switch
          label={t('unlimited_quota')}
          help={t('unlimited_quota_help')}
          {...register('unlimited_quota')}
        />
        {isNew && (
          <NumberFormField
            name="count"
            label={t('count')}
            help={t('countHelp')}
            min={1}
            max={COUNT_MAX}
            presets={{
              label: t('countPresets'),
              options: COUNTS.map(value => ({ value, label: t('countUnit', { count: value }) })),
            }}
          />
        )}
      </SheetSection>
      <SheetSection title={t('sectionLimits')}>
        <ModelFields />
        <AllowedIpsField />
        {LIMITS.map(name => (
          <NumberFormField
            key={name}
            name={name}
            label={t(name)}
            help={t(`${name}_help`)}
            min={0}
            max={LIMIT_MAX}
          />
        ))}
        {POLICIES.map(name => (
          <PolicyField key={name} name={name} />
        ))}
      </SheetSection>
    </>
  )
}

const LIST_PRICE = 1
/** The badge of a group is coloured by how far its ratio is above the list price. */
const RATIO_TONES: ReadonlyArray<readonly [above: number, tone: Tone]> = [
  [5, 'danger'],
  [3, 'warning'],
  [LIST_PRICE, 'info'],
]

const ratioTone = (ratio: number): Tone => RATIO_TONES.find(([above]) => ratio > above)?.[1] ?? 'success'

/** The groups that the user may choose, with the factor that each applies to the price. */
function GroupField() {
  const t = useScreenText()
  const { data: groups = {} } = useQuery(groupsQuery)
  const options = [
    { value: '', label: t('ownGroup') },
    ...Object.entries(groups).map(([value, { desc, ratio }]) => ({
      value,
      label: value,
      hint: desc,
      badge: (
        <StatusBadge tone={ratioTone(ratio)} mark="none">
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

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const MONTH = 30 * DAY

function ExpiryField({ now }: { readonly now: () => number }) {
  const t = useScreenText()
  const { setValue, formState } = useFormContext<TokenFormValues>()
  const pick = (seconds: number) =>
    setValue('expired_time', seconds === 0 ? '' : formatDateTime(now() + seconds), {
      shouldDirty: true,
      shouldValidate: true,
    })
  return (
    <div className="grid gap-2">
      <Field
        name="expired_time"
        label={t('expired_time')}
        help={t('expired_time_help')}
        error={formState.errors.expired_time?.message}
      >
        {control => (
          <Controller<TokenFormValues, 'expired_time'>
            name="expired_time"
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
  const t = useScreenText()
  const { register, formState } = useFormContext<TokenFormValues>()
  const isLimited = useWatch<TokenFormValues, 'model_limits_enabled'>({ name: 'model_limits_enabled' })
  const { data: models = [] } = useQuery(modelsQuery)
  return (
    <>
      <Switch
        label={t('model_limits_enabled')}
        help={t('model_limits_enabled_help')}
        {...register('model_limits_enabled')}
      />
      <Field name="model_limits" label={t('model_limits')} error={formState.errors.model_limits?.message}>
        {control => (
          <Controller<TokenFormValues, 'model_limits'>
            name="model_limits"
            render={({ field }) => (
              <MultiCombobox
                {...control}
                isMono
                isFree
                options={models}
                value={field.value}
                onChange={field.onChange}
                disabled={!isLimited}
                placeholder={t('modelsPlaceholder')}
              />
            )}
          />
        )}
      </Field>
    </>
  )
}

function PolicyField({ name }: { readonly name: (typeof POLICIES)[number] }) {
  const t = useScreenText()
  const options = REQUEST_POLICIES.map(value => ({ value, label: t(`policy_${value}`) }))
  return (
    <Controller<TokenFormValues, typeof name>
      name={name}
      render={({ field: { ref: _, ...field } }) => (
        <Field name={name} label={t(name)} help={t(`${name}_help`)}>
          {control => <Select {...control} {...field} options={options} />}
        </Field>
      )}
    />
  )
}

function AllowedIpsField() {
  const t = useScreenText()
  const { register, formState } = useFormContext<TokenFormValues>()
  return (
    <Field
      name="allow_ips"
      label={t('allow_ips')}
      help={t('allow_ips_help')}
      error={formState.errors.allow_ips?.message}
    >
      {control => (
        <TextArea
          {...control}
          {...register('allow_ips')}
          isMono
          rows={3}
          placeholder={'192.168.1.0/24\n2001:db8::1'}
        />
      )}
    </Field>
  )
}
