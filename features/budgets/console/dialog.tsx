import { type KeyboardEvent, useId, useState } from 'react'
import { plainErrorText } from '#console/app/api/call.ts'
import { MoneyInput } from '#console/app/forms/money-input.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { Field, Switch } from '#console/ui/forms/fields.tsx'
import { InputField, NumberField, SelectField } from '#console/ui/forms/labelled-inputs.tsx'
import { NumberInput } from '#console/ui/forms/number-inputs.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { useKitText } from '#console/ui/text/kit-text.ts'
import { type Budget, EFFORTS, HOURS_MAX, PERIODS, UNITS } from '../contract.ts'
import { type BudgetValues, toDraft, toValues } from './form-schema.ts'
import { type ShownSubject, useBudgetChanges } from './queries.ts'
import { useBudgetText } from './text.ts'

interface BudgetDialogProps {
  readonly subject: ShownSubject
  /** Undefined for a new one. */
  readonly budget: Budget | undefined
  readonly onClose: () => void
}

/** The form of a new or an existing budget: an amount in a period, and what few budgets need below. */
export function BudgetDialog({ subject, budget, onClose }: BudgetDialogProps) {
  const t = useBudgetText()
  const k = useKitText()
  const form = useId()
  const [values, setValues] = useState(() => toValues(budget))
  const [isChecked, setChecked] = useState(false)
  const { create, update } = useBudgetChanges()
  const saving = budget ? update : create
  const draft = toDraft(values, subject)
  const save = () => {
    setChecked(true)
    if (!draft || saving.isPending) return
    const onSuccess = () => {
      toast('success', t(budget ? 'saved' : 'added'))
      onClose()
    }
    if (!budget) return create.mutate(draft, { onSuccess })
    const { subject: _subject, subject_id: _id, unit: _unit, ...change } = draft
    update.mutate({ id: budget.id, change }, { onSuccess })
  }
  // The sheet around the dialog has shortcuts and a form of its own.
  const saveByKey = (event: KeyboardEvent) => {
    event.stopPropagation()
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) save()
  }
  return (
    <Dialog
      title={t(budget ? 'edit' : 'add')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{k('cancel')}</Button>
          <Button type="submit" form={form} variant="primary" isBusy={saving.isPending}>
            {budget ? k('save') : t('add')}
          </Button>
        </>
      }
    >
      <form
        id={form}
        noValidate
        className="grid gap-4"
        onKeyDown={saveByKey}
        onSubmit={event => {
          event.preventDefault()
          event.stopPropagation()
          save()
        }}
      >
        {saving.error && (
          <Banner tone="danger" isAlert>
            {plainErrorText(saving.error)}
          </Banner>
        )}
        <MainFields values={values} isWrong={isChecked && !draft} onChange={setValues} />
        <MoreFields values={values} isNew={!budget} onChange={setValues} />
      </form>
    </Dialog>
  )
}

interface FieldsProps {
  readonly values: BudgetValues
  readonly onChange: (values: BudgetValues) => void
}

function MainFields({ values, isWrong, onChange }: FieldsProps & { readonly isWrong: boolean }) {
  const t = useBudgetText()
  const { unit, amount, period, hours } = values
  const setAmount = (typed: string) => onChange({ ...values, amount: typed })
  return (
    <>
      <Field
        label={t('amount')}
        help={t(`help_${unit}`)}
        error={isWrong ? t('wrongAmount') : undefined}
        isRequired
      >
        {control =>
          unit === 'quota' ? (
            <MoneyInput {...control} value={amount} onChange={setAmount} />
          ) : (
            <NumberInput {...control} value={amount} onChange={setAmount} min={1} />
          )
        }
      </Field>
      <SelectField
        label={t('period')}
        value={period}
        options={PERIODS.map(value => ({ value, label: t(`period_${value}`) }))}
        onChange={chosen => onChange({ ...values, period: chosen })}
      />
      {period === 'rolling' && (
        <NumberField
          label={t('hours')}
          value={hours}
          min={1}
          max={HOURS_MAX}
          onChange={typed => onChange({ ...values, hours: typed })}
        />
      )}
    </>
  )
}

const TEXTS = ['name', 'model', 'group', 'time_zone'] as const

function MoreFields({ values, isNew, onChange }: FieldsProps & { readonly isNew: boolean }) {
  const t = useBudgetText()
  return (
    <details className="rounded-card border border-line px-3 py-2">
      <summary className="cursor-pointer text-small font-medium">{t('more')}</summary>
      <div className="mt-3 grid gap-4">
        {isNew && (
          <SelectField
            label={t('unit')}
            value={values.unit}
            options={UNITS.map(value => ({ value, label: t(`unit_${value}`) }))}
            onChange={unit => onChange({ ...values, unit, amount: '' })}
          />
        )}
        {TEXTS.map(name => (
          <InputField
            key={name}
            label={t(name)}
            help={t(`help_${name}`)}
            value={values[name]}
            onChange={event => onChange({ ...values, [name]: event.target.value })}
          />
        ))}
        <NumberField
          label={t('warn_percent')}
          help={t('help_warn_percent')}
          value={values.warn_percent}
          min={0}
          max={100}
          suffix="%"
          onChange={typed => onChange({ ...values, warn_percent: typed })}
        />
        <BendFields values={values} onChange={onChange} />
        <Switch
          label={t('is_hard')}
          help={t('help_is_hard')}
          checked={values.is_hard}
          onChange={event => onChange({ ...values, is_hard: event.target.checked })}
        />
        {!isNew && (
          <Switch
            label={t('is_enabled')}
            checked={values.is_enabled}
            onChange={event => onChange({ ...values, is_enabled: event.target.checked })}
          />
        )}
      </div>
    </details>
  )
}

/** From which share on which model is replaced by which, or thinks less. */
function BendFields({ values, onChange }: FieldsProps) {
  const t = useBudgetText()
  const isBending = Number(values.bend_percent) > 0
  return (
    <>
      <NumberField
        label={t('bend_percent')}
        help={t('help_bend_percent')}
        value={values.bend_percent}
        min={0}
        max={100}
        suffix="%"
        onChange={typed => onChange({ ...values, bend_percent: typed })}
      />
      {isBending &&
        (['bend_from', 'bend_to'] as const).map(name => (
          <InputField
            key={name}
            label={t(name)}
            help={t(`help_${name}`)}
            isRequired={name === 'bend_to' && values.bend_effort === ''}
            value={values[name]}
            onChange={event => onChange({ ...values, [name]: event.target.value })}
          />
        ))}
      {isBending && (
        <SelectField
          label={t('bend_effort')}
          help={t('help_bend_effort')}
          value={values.bend_effort}
          options={(['', ...EFFORTS] as const).map(value => ({
            value,
            label: t(`effort_${value || 'any'}`),
          }))}
          onChange={bend_effort => onChange({ ...values, bend_effort })}
        />
      )}
    </>
  )
}
