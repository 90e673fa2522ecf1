import { Plus, Trash2 } from 'lucide-react'
import { MoneyInput } from '#console/app/forms/money-input.tsx'
import { Button, IconButton } from '#console/ui/buttons/buttons.tsx'
import { Field, Select } from '#console/ui/forms/fields.tsx'
import { NumberInput } from '#console/ui/forms/number-inputs.tsx'
import { HOURS_MAX, WINDOW_PERIODS, WINDOW_UNITS, WINDOWS_MAX } from '../../contract/plans.ts'
import { newWindow, type WindowValues } from './form-schema.ts'
import { useScreenText } from './text.ts'

interface WindowFieldsProps {
  readonly windows: readonly WindowValues[]
  readonly onChange: (windows: readonly WindowValues[]) => void
}

/** The windows of a plan: an amount in a period, up to five of them. */
export function WindowFields({ windows, onChange }: WindowFieldsProps) {
  const t = useScreenText()
  const add = () => onChange([...windows, newWindow(Math.max(...windows.map(({ key }) => key)) + 1)])
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1 text-small font-medium">{t('windows')}</legend>
      <p className="text-small text-muted">{t('help_windows')}</p>
      {windows.map((window, index) => (
        <WindowRow
          key={window.key}
          window={window}
          count={index + 1}
          onChange={changed => onChange(windows.map(one => (one.key === changed.key ? changed : one)))}
          onRemove={
            windows.length > 1 ? () => onChange(windows.filter(({ key }) => key !== window.key)) : undefined
          }
        />
      ))}
      {windows.length < WINDOWS_MAX && (
        <Button size="small" icon={Plus} className="justify-self-start" onClick={add}>
          {t('addWindow')}
        </Button>
      )}
    </fieldset>
  )
}

interface WindowRowProps {
  readonly window: WindowValues
  /** Its place, from 1 on. */
  readonly count: number
  readonly onChange: (window: WindowValues) => void
  readonly onRemove: (() => void) | undefined
}

function WindowRow({ window, count, onChange, onRemove }: WindowRowProps) {
  const t = useScreenText()
  const { period, hours, unit } = window
  return (
    <fieldset aria-label={t('window', { count })} className="grid gap-3 rounded-card border border-line p-3">
      <div className="flex min-h-7 items-center justify-between">
        <span className="text-small text-muted">{t('window', { count })}</span>
        {onRemove && (
          <IconButton size="small" icon={Trash2} label={t('removeWindow', { count })} onClick={onRemove} />
        )}
      </div>
      <div className="grid grid-cols-2 gap-3">
        <Field label={t('windowPeriod')}>
          {control => (
            <Select
              {...control}
              value={period}
              options={WINDOW_PERIODS.map(value => ({ value, label: t(`choice_${value}`) }))}
              onChange={chosen => onChange({ ...window, period: chosen })}
            />
          )}
        </Field>
        <Field label={t('windowUnit')}>
          {control => (
            <Select
              {...control}
              value={unit}
              options={WINDOW_UNITS.map(value => ({ value, label: t(`unit_${value}`) }))}
              onChange={chosen => onChange({ ...window, unit: chosen, amount: '' })}
            />
          )}
        </Field>
        {period === 'rolling' && (
          <Field label={t('windowHours')}>
            {control => (
              <NumberInput
                {...control}
                min={1}
                max={HOURS_MAX}
                value={hours}
                onChange={typed => onChange({ ...window, hours: typed })}
              />
            )}
          </Field>
        )}
        <div className="col-span-2">
          <Amount window={window} onChange={onChange} />
        </div>
      </div>
    </fieldset>
  )
}

function Amount({ window, onChange }: Pick<WindowRowProps, 'window' | 'onChange'>) {
  const t = useScreenText()
  const { unit, amount } = window
  const set = (typed: string) => onChange({ ...window, amount: typed })
  return (
    <Field label={t('windowAmount')} isRequired>
      {control =>
        unit === 'quota' ? (
          <MoneyInput {...control} value={amount} onChange={set} />
        ) : (
          <NumberInput {...control} min={1} value={amount} onChange={set} />
        )
      }
    </Field>
  )
}
