import { useQuery } from '@tanstack/react-query'
import { useUser } from '#console/app/session/session.ts'
import { Combobox } from '#console/ui/forms/combobox.tsx'
import { type ControlProps, Field, Switch } from '#console/ui/forms/fields.tsx'
import { NumberField, TextAreaField } from '#console/ui/forms/labelled-inputs.tsx'
import { Slider } from '#console/ui/forms/number-inputs.tsx'
import { Presets } from './presets.tsx'
import { groupsQuery, useAvailableModels } from './queries.ts'
import { parseTools } from './request.ts'
import {
  type Settings,
  switchedTemperature,
  TEMPERATURE_MAX,
  TEMPERATURE_MIN,
  TEMPERATURE_STEP,
} from './settings.ts'
import { useScreenText } from './text.ts'

interface SettingsPanelProps {
  readonly settings: Settings
  readonly onChange: (change: Partial<Settings>) => void
}

interface IsComparing {
  /** Each column has a choice of its model. */
  readonly isComparing: boolean
}

/** Presets, the model, its group, and the parameters of the request. */
export function SettingsPanel({ settings, isComparing, onChange }: SettingsPanelProps & IsComparing) {
  const t = useScreenText()
  const isToolsInvalid = settings.tools.trim() !== '' && parseTools(settings.tools) === undefined
  return (
    <div className="grid gap-5">
      <Presets settings={settings} onChange={onChange} />
      <GroupChoice settings={settings} onChange={onChange} />
      {!isComparing && <ModelChoice settings={settings} onChange={onChange} />}
      <Temperature settings={settings} onChange={onChange} />
      <NumberField
        label={t('maxTokens')}
        help={t('maxTokensHelp')}
        min={0}
        step={100}
        value={String(settings.maxTokens)}
        onChange={typed => onChange({ maxTokens: Math.max(Math.floor(Number(typed)) || 0, 0) })}
      />
      <TextAreaField
        label={t('system')}
        rows={5}
        placeholder={t('systemPlaceholder')}
        value={settings.system}
        onChange={event => onChange({ system: event.target.value })}
      />
      <TextAreaField
        label={t('tools')}
        help={t('toolsHelp')}
        error={isToolsInvalid ? t('toolsInvalid') : undefined}
        isMono
        rows={3}
        value={settings.tools}
        onChange={event => onChange({ tools: event.target.value })}
      />
    </div>
  )
}

function GroupChoice({ settings, onChange }: SettingsPanelProps) {
  const t = useScreenText()
  const ownGroup = useUser()?.group ?? ''
  const { data: groups = {} } = useQuery(groupsQuery)
  const others = Object.entries(groups).filter(([name]) => name !== ownGroup)
  const ratioOf = (name: string) => {
    const ratio = groups[name]?.ratio
    return ratio === undefined ? undefined : <span className="text-caption text-muted tabular">{ratio}×</span>
  }
  const options = [
    { value: '', label: t('ownGroup', { group: ownGroup }), badge: ratioOf(ownGroup) },
    ...others.map(([value, { desc }]) => ({ value, label: value, hint: desc, badge: ratioOf(value) })),
  ]
  const chosen = options.find(({ value }) => value === settings.group) ?? options[0]
  return (
    <Field label={t('group')}>
      {control => (
        <Combobox
          {...control}
          key={chosen?.label}
          options={options.map(option => ({ ...option, value: option.value || ownGroup }))}
          value={settings.group || ownGroup}
          onChange={value => onChange({ group: value === ownGroup ? '' : value })}
        />
      )}
    </Field>
  )
}

function ModelChoice({ settings, onChange }: SettingsPanelProps) {
  const t = useScreenText()
  const { state } = useAvailableModels(settings)
  return (
    <Field
      label={t('model')}
      help={state === 'none' ? t('noModels') : undefined}
      error={state === 'model-missing' ? t('modelUnavailable', { model: settings.model }) : undefined}
    >
      {control => <ModelCombobox {...control} settings={settings} onChange={onChange} />}
    </Field>
  )
}

interface ModelComboboxProps extends SettingsPanelProps, Partial<ControlProps> {
  readonly 'aria-label'?: string
}

/** Chooses among the models of the group. */
export function ModelCombobox({ settings, onChange, ...control }: ModelComboboxProps) {
  const { models } = useAvailableModels(settings)
  return (
    <Combobox
      {...control}
      options={models.map(name => ({ value: name, label: name }))}
      value={settings.model}
      onChange={model => onChange({ model })}
    />
  )
}

function Temperature({ settings: { temperature }, onChange }: SettingsPanelProps) {
  const t = useScreenText()
  const isChosen = temperature > 0
  return (
    <div className="grid gap-2">
      <Switch
        label={t('temperature')}
        {...(!isChosen && { help: t('temperatureHelp') })}
        checked={isChosen}
        onChange={event => onChange({ temperature: switchedTemperature(event.target.checked) })}
      />
      {isChosen && (
        <Slider
          aria-label={t('temperatureOn')}
          value={temperature}
          min={TEMPERATURE_MIN}
          max={TEMPERATURE_MAX}
          step={TEMPERATURE_STEP}
          onChange={next => onChange({ temperature: next })}
        />
      )}
    </div>
  )
}
