import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { plainErrorText } from '#console/app/api/call.ts'
import { useDirtyGuard } from '#console/app/forms/dirty-guard.ts'
import { MoneyInput } from '#console/app/forms/money-input.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { MultiCombobox } from '#console/ui/forms/combobox.tsx'
import { Field, Select, Switch, TextArea, TextInput } from '#console/ui/forms/fields.tsx'
import { NumberInput } from '#console/ui/forms/number-inputs.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { Sheet } from '#console/ui/overlays/sheet.tsx'
import { useKitText } from '#console/ui/text/kit-text.ts'
import {
  FREE_DAYS_MAX,
  GRACE_DAYS_MAX,
  PERIOD_COUNT_MAX,
  PERIOD_UNITS,
  type SoldPlan,
  WHEN_USED_UP,
} from '../../contract/plans.ts'
import { groupsQuery, usePlanChanges } from '../queries.ts'
import { usePlanText } from '../text.ts'
import { type PlanValues, toDraft, toValues } from './form-schema.ts'
import { useScreenText } from './text.ts'
import { WindowFields } from './window-fields.tsx'

interface PlanSheetProps {
  /** Undefined for a new one. */
  readonly plan: SoldPlan | undefined
  readonly onClose: (leavesForm?: boolean) => void
}

/** The form of a new or an existing plan: name, price and windows, and what few plans need below. */
export function PlanSheet({ plan, onClose }: PlanSheetProps) {
  const t = useScreenText()
  const k = useKitText()
  const form = useId()
  const [start] = useState(() => toValues(plan))
  const [values, setValues] = useState(start)
  const [isChecked, setChecked] = useState(false)
  const { save } = usePlanChanges()
  useDirtyGuard(values !== start && !save.isPending)
  const draft = toDraft(values)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (!draft || save.isPending) return
    const onSuccess = () => {
      toast('success', t('saved'))
      onClose(true)
    }
    save.mutate({ id: plan?.id, draft }, { onSuccess })
  }
  return (
    <Sheet
      title={plan ? t('editNamed', { plan: plan.name }) : t('add')}
      onClose={() => onClose()}
      footer={
        <>
          <Button onClick={() => onClose()}>{k('cancel')}</Button>
          <Button type="submit" form={form} variant="primary" isBusy={save.isPending}>
            {t(plan ? 'save' : 'create')}
          </Button>
        </>
      }
    >
      <form id={form} noValidate className="grid gap-5" onSubmit={submit}>
        {save.error && (
          <Banner tone="danger" isAlert>
            {plainErrorText(save.error)}
          </Banner>
        )}
        {isChecked && !draft && (
          <Banner tone="danger" isAlert>
            {t('wrong')}
          </Banner>
        )}
        {plan && plan.subscribers > 0 && <Banner tone="info">{t('editNote')}</Banner>}
        <MainFields values={values} onChange={setValues} />
        <WindowFields windows={values.windows} onChange={windows => setValues({ ...values, windows })} />
        <MoreFields values={values} onChange={setValues} />
      </form>
    </Sheet>
  )
}

interface FieldsProps {
  readonly values: PlanValues
  readonly onChange: (values: PlanValues) => void
}

function MainFields({ values, onChange }: FieldsProps) {
  const t = useScreenText()
  const p = usePlanText()
  return (
    <>
      <Field label={t('name')} isRequired>
        {control => (
          <TextInput
            {...control}
            value={values.name}
            onChange={event => onChange({ ...values, name: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('description')} help={t('help_description')}>
        {control => (
          <TextArea
            {...control}
            rows={2}
            value={values.description}
            onChange={event => onChange({ ...values, description: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('price')} isRequired>
        {control => (
          <MoneyInput {...control} value={values.price} onChange={price => onChange({ ...values, price })} />
        )}
      </Field>
      <div className="grid grid-cols-2 gap-3">
        <Field label={t('periodCount')}>
          {control => (
            <NumberInput
              {...control}
              min={1}
              max={PERIOD_COUNT_MAX}
              value={values.period_count}
              onChange={period_count => onChange({ ...values, period_count })}
            />
          )}
        </Field>
        <Field label={t('period')}>
          {control => (
            <Select
              {...control}
              value={values.period_unit}
              options={PERIOD_UNITS.map(value => ({ value, label: p(`onePeriod_${value}`) }))}
              onChange={period_unit => onChange({ ...values, period_unit })}
            />
          )}
        </Field>
      </div>
      <Field label={t('whenUsedUp')}>
        {control => (
          <Select
            {...control}
            value={values.when_used_up}
            options={WHEN_USED_UP.map(value => ({ value, label: t(`choice_${value}`) }))}
            onChange={when_used_up => onChange({ ...values, when_used_up })}
          />
        )}
      </Field>
    </>
  )
}

function MoreFields({ values, onChange }: FieldsProps) {
  const t = useScreenText()
  const { data: groups = [] } = useQuery(groupsQuery)
  return (
    <details className="rounded-card border border-line px-3 py-2">
      <summary className="cursor-pointer text-small font-medium">{t('moreOptions')}</summary>
      <div className="mt-3 grid gap-4">
        <Field label={t('modelsField')} help={t('help_models')}>
          {control => (
            <MultiCombobox
              {...control}
              isFree
              isMono
              options={[]}
              value={values.models}
              onChange={models => onChange({ ...values, models: [...models] })}
            />
          )}
        </Field>
        <Field label={t('groupsField')} help={t('help_groups')}>
          {control => (
            <MultiCombobox
              {...control}
              options={groups}
              value={values.groups}
              onChange={chosen => onChange({ ...values, groups: [...chosen] })}
            />
          )}
        </Field>
        <Days name="trial_days" label={t('trial')} help={t('help_trial')} {...{ values, onChange }} />
        <Days name="grace_days" label={t('grace')} help={t('help_grace')} {...{ values, onChange }} />
        {values.windows.some(({ period }) => period === 'term') && (
          <Field label={t('carry')} help={t('help_carry')}>
            {control => (
              <NumberInput
                {...control}
                min={0}
                max={100}
                suffix="%"
                value={values.carry_over_percent}
                onChange={carry_over_percent => onChange({ ...values, carry_over_percent })}
              />
            )}
          </Field>
        )}
        <Switch
          label={t('renews')}
          help={t('help_renews')}
          checked={values.renews}
          onChange={event => onChange({ ...values, renews: event.target.checked })}
        />
        <Switch
          label={t('offeredSwitch')}
          help={t('help_offered')}
          checked={values.is_offered}
          onChange={event => onChange({ ...values, is_offered: event.target.checked })}
        />
      </div>
    </details>
  )
}

const DAYS_MAX = { trial_days: FREE_DAYS_MAX, grace_days: GRACE_DAYS_MAX } as const

interface DaysProps extends FieldsProps {
  readonly name: keyof typeof DAYS_MAX
  readonly label: string
  readonly help: string
}

const Days = ({ name, label, help, values, onChange }: DaysProps) => (
  <Field label={label} help={help}>
    {control => (
      <NumberInput
        {...control}
        min={0}
        max={DAYS_MAX[name]}
        value={values[name]}
        onChange={typed => onChange({ ...values, [name]: typed })}
      />
    )}
  </Field>
)
