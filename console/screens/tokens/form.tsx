import { useQuery } from '@tanstack/react-query'
import { Controller, useFormContext, useWatch } from 'react-hook-form'
import { TOKEN_LIMIT_MAX } from '#contract/tokens.ts'
import { quotaOfDollars, useMoney } from '../../app/money/money.tsx'
import { MoneyInput } from '../../app/money/money-input.tsx'
import { formatDateTime } from '../../app/time/time.tsx'
import { StatusBadge, type Tone } from '../../ui/data/status-badge.tsx'
import { Switch } from '../../ui/forms/checkbox.tsx'
import { Combobox, MultiCombobox } from '../../ui/forms/combobox.tsx'
import { DateTimeInput } from '../../ui/forms/date-time-input.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { NumberInput, Presets } from '../../ui/forms/number-inputs.tsx'
import { TextArea, TextInput } from '../../ui/forms/text-inputs.tsx'
import { SheetSection } from '../../ui/overlays/sheet.tsx'
import { useText } from '../../ui/text/text.ts'
import { COUNT_MAX, type TokenFormValues } from './form-schema.ts'
import { groupsQuery, modelsQuery } from './queries.ts'
import { text } from './text.ts'

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

const LIST_PRICE = 1
const RATIO_TONES: ReadonlyArray<readonly [number, Tone]> = [
  [5, 'danger'],
  [3, 'warning'],
  [LIST_PRICE, 'info'],
]

const ratioTone = (ratio: number): Tone => RATIO_TONES.find(([above]) => ratio > above)?.[1] ?? 'success'

/** The groups that this user may choose, with what they do to the price. */
function GroupField() {
  const t = useText(text)
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

const DOLLARS = [1, 10, 50, 100, 500, 1000] as const
const COUNTS = [10, 20, 30, 100] as const

/** The token's own limit, and how many tokens get it. */
function QuotaFields({ isNew }: { readonly isNew: boolean }) {
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
