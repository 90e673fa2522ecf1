import { Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { type OptionKey, systemOptions } from '#contract/options/system-options.ts'
import { Button, IconButton } from '../../ui/buttons/buttons.tsx'
import { MultiCombobox } from '../../ui/forms/combobox.tsx'
import {
  type ControlProps,
  Field,
  fieldId,
  PasswordInput,
  Select,
  Switch,
  TextArea,
  TextInput,
} from '../../ui/forms/fields.tsx'
import { JsonEditor } from '../../ui/forms/json-editor.tsx'
import { MoneyInput } from '../forms/money-input.tsx'
import { type OptionForm, useOptionForm } from './form.ts'
import { useOptionText } from './option-text.ts'
import { useSettingsText } from './text.ts'
import { type UnitTextKey, useUnitText } from './unit-text.ts'

interface OptionFieldProps {
  readonly optionKey: OptionKey
  /** Replaces the default handling of a switch, for example to ask first. */
  readonly onFlag?: (isOn: boolean) => void
}

/** The field of one option, with the control that fits its type. */
export function OptionField({ optionKey: key, onFlag }: OptionFieldProps) {
  const form = useOptionForm()
  const { label, help } = useOptionText()(key)
  const kind = fieldKind(key)
  if (kind === 'flag') {
    const isOn = form.currentValue(key) === 'true'
    return (
      <ChangedMark optionKey={key}>
        <Switch
          id={fieldId(key)}
          label={label}
          {...(help ? { help } : {})}
          checked={isOn}
          onChange={event => (onFlag ?? (on => form.set(key, String(on))))(event.target.checked)}
        />
      </ChangedMark>
    )
  }
  return (
    <ChangedMark optionKey={key}>
      <Field
        name={key}
        label={label}
        help={help}
        error={form.errorOf(key)}
        aside={<FieldAside optionKey={key} />}
      >
        {control => <OptionControl kind={kind} optionKey={key} form={form} control={control} />}
      </Field>
    </ChangedMark>
  )
}

/** Marks a field with an unsaved edit. */
function ChangedMark({
  optionKey: key,
  children,
}: {
  readonly optionKey: OptionKey
  readonly children: ReactNode
}) {
  const { edits } = useOptionForm()
  const isChanged = edits.some(edit => edit.key === key)
  return (
    <div className="relative">
      {isChanged && <span aria-hidden className="absolute inset-y-0 -left-3 w-0.5 rounded-full bg-primary" />}
      {children}
    </div>
  )
}

/** Number of list entries, and the undo button of an edited field. */
function FieldAside({ optionKey: key }: { readonly optionKey: OptionKey }) {
  const t = useSettingsText()
  const { label } = useOptionText()(key)
  const { edits, currentValue, reset } = useOptionForm()
  const entries = currentValue(key)
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
  const repeats = entries.length - new Set(entries).size
  return (
    <span className="flex items-center gap-1">
      {fieldKind(key) === 'lines' &&
        (repeats > 0
          ? t('listRepeats', { count: entries.length, repeats })
          : t('listCount', { count: entries.length }))}
      {edits.some(edit => edit.key === key) && (
        <IconButton
          label={t('undoChange', { name: label })}
          icon={Undo2}
          size="small"
          className="-my-1"
          onClick={() => reset(key)}
        />
      )}
    </span>
  )
}

interface OptionControlProps {
  readonly kind: FieldKind
  readonly optionKey: OptionKey
  readonly form: OptionForm
  readonly control: ControlProps
}

const CHOICES = ['hour', 'day', 'week'] as const

function OptionControl({ kind, optionKey: key, form, control }: OptionControlProps) {
  const t = useUnitText()
  const value = form.currentValue(key)
  const change = (next: string) => form.set(key, next)
  const unit = UNITS[key]
  switch (kind) {
    case 'secret':
      return <SecretControl optionKey={key} form={form} control={control} />
    case 'quota':
      return <MoneyInput {...control} value={value} onChange={change} />
    case 'lines':
      return (
        <TextArea {...control} isMono rows={6} value={value} onChange={event => change(event.target.value)} />
      )
    case 'json':
      return (
        <JsonEditor
          {...control}
          rows={4}
          value={value}
          onChange={change}
          template={systemOptions[key].initial}
        />
      )
    case 'names':
      return (
        <MultiCombobox
          {...control}
          isFree
          isMono
          options={systemOptions[key].initial.split(',')}
          value={value === '' ? [] : value.split(',')}
          onChange={names => change(names.join(','))}
        />
      )
    case 'choice':
      return (
        <Select
          {...control}
          value={CHOICES.find(choice => choice === value) ?? 'hour'}
          options={CHOICES.map(choice => ({ value: choice, label: t(choice) }))}
          onChange={change}
        />
      )
    default:
      return (
        <TextInput
          {...control}
          {...(kind === 'number' ? { inputMode: 'decimal' as const, className: 'tabular' } : {})}
          value={value}
          suffix={unit && t(unit)}
          onChange={event => change(event.target.value)}
        />
      )
  }
}

/** A stored secret is never shown. Typing replaces it, an empty field keeps it, and a button removes it. */
function SecretControl({ optionKey: key, form, control }: Omit<OptionControlProps, 'kind'>) {
  const t = useSettingsText()
  const edit = form.editedValue(key)
  const isSet = form.isSet(key)
  const isRemoved = isSet && edit === ''
  const type = (typed: string) => (typed === '' ? form.reset(key) : form.set(key, typed))
  return (
    <div className="flex items-center gap-2">
      <div className="min-w-0 flex-1">
        <PasswordInput
          {...control}
          autoComplete="new-password"
          disabled={isRemoved}
          value={edit ?? ''}
          placeholder={t(isRemoved ? 'secretRemoved' : isSet ? 'secretSet' : 'secretUnset')}
          onChange={event => type(event.target.value)}
        />
      </div>
      {isSet && (
        <Button size="small" onClick={() => (isRemoved ? form.reset(key) : form.set(key, ''))}>
          {t(isRemoved ? 'secretKeep' : 'secretRemove')}
        </Button>
      )}
    </div>
  )
}

const WIDE_FIELD_KINDS: readonly FieldKind[] = ['lines', 'json', 'names']

interface OptionFieldsProps {
  readonly keys: readonly OptionKey[]
}

/** The fields of a section: switches, then short fields in two columns, then wide fields. */
export function OptionFields({ keys }: OptionFieldsProps) {
  const flags = keys.filter(key => fieldKind(key) === 'flag')
  const wide = keys.filter(key => WIDE_FIELD_KINDS.includes(fieldKind(key)))
  const short = keys.filter(key => !flags.includes(key) && !wide.includes(key))
  const begin = keys.findIndex(key => short.includes(key))
  return (
    <>
      <Flags keys={flags.filter(key => keys.indexOf(key) < begin)} />
      {short.length > 0 && (
        <div className="grid gap-x-6 gap-y-5 sm:grid-cols-2">
          {short.map(key => (
            <OptionField key={key} optionKey={key} />
          ))}
        </div>
      )}
      <Flags keys={flags.filter(key => keys.indexOf(key) > begin)} />
      {wide.map(key => (
        <OptionField key={key} optionKey={key} />
      ))}
    </>
  )
}

const Flags = ({ keys }: OptionFieldsProps) =>
  keys.length > 0 && (
    <div className="grid gap-4">
      {keys.map(key => (
        <OptionField key={key} optionKey={key} />
      ))}
    </div>
  )

/** Control type of an option. */
export type FieldKind =
  | 'flag'
  | 'secret'
  | 'quota'
  | 'number'
  | 'lines'
  | 'names'
  | 'choice'
  | 'json'
  | 'text'

const SPECIAL_KINDS: Partial<Record<OptionKey, FieldKind>> = {
  QuotaRemindThreshold: 'quota',
  QuotaForNewUser: 'quota',
  QuotaForInviter: 'quota',
  QuotaForInvitee: 'quota',
  SensitiveWords: 'lines',
  AutomaticDisableKeywords: 'lines',
  EmailDomainWhitelist: 'names',
  DataExportDefaultTime: 'choice',
  Chats: 'json',
  GroupRatio: 'json',
  UserUsableGroups: 'json',
  TopupGroupRatio: 'json',
  ModelPrice: 'json',
  ModelRatio: 'json',
  CompletionRatio: 'json',
  CacheRatio: 'json',
  CreateCacheRatio: 'json',
  ModelPriceLists: 'json',
  ModelOutputLimit: 'json',
  ClaudeCodeSettings: 'json',
  GroupRequestPolicies: 'json',
  CallBudgetFactors: 'json',
}

export function fieldKind(key: OptionKey): FieldKind {
  const { initial, isSecret } = systemOptions[key]
  if (isSecret) return 'secret'
  const special = SPECIAL_KINDS[key]
  if (special) return special
  if (initial === 'true' || initial === 'false') return 'flag'
  return initial !== '' && Number.isFinite(Number(initial)) ? 'number' : 'text'
}

/** Units of numeric options. */
const UNITS: Partial<Record<OptionKey, UnitTextKey>> = {
  RetryTimes: 'times',
  DataExportInterval: 'minutes',
  ChannelDisableThreshold: 'seconds',
  PreConsumedQuota: 'tokens',
  DisconnectReadSeconds: 'seconds',
  DisconnectReadMegabytes: 'mebibytes',
  ResponseStoreDays: 'days',
  ResponseStoreMegabytes: 'mebibytes',
  DeviceTokenMinutes: 'minutes',
  ModelRequestRateLimitDurationMinutes: 'minutes',
  ModelRequestRateLimitCount: 'times',
  ModelRequestRateLimitSuccessCount: 'times',
  FailedRequestRateLimit: 'times',
  UserConcurrencyLimit: 'requests',
  RequestTextLimit: 'mebibytes',
  CallBudgetPerMinute: 'points',
  VisitorCallBudgetPerMinute: 'points',
  Price: 'yuanPerDollar',
  MinTopUp: 'dollars',
}
