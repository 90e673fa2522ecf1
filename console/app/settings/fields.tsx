import { Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { OptionKind } from '#contract/options/define-option.ts'
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
import { useLanguage } from '../../ui/text/text.ts'
import { MoneyInput } from '../forms/money-input.tsx'
import { type OptionForm, useOptionForm } from './form.ts'
import { optionOf, useOptionText } from './options.ts'
import { useSettingsText } from './text.ts'

interface OptionFieldProps {
  readonly optionKey: string
  /** Replaces the default handling of a switch, for example to ask first. */
  readonly onFlag?: (isOn: boolean) => void
}

/** The field of one option, with the control that fits its type. */
export function OptionField({ optionKey: key, onFlag }: OptionFieldProps) {
  const form = useOptionForm()
  const { label, help } = useOptionText()(key)
  const { kind } = optionOf(key)
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
        {control => <OptionControl optionKey={key} form={form} control={control} />}
      </Field>
    </ChangedMark>
  )
}

/** Marks a field with an unsaved edit. */
function ChangedMark({
  optionKey: key,
  children,
}: {
  readonly optionKey: string
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
function FieldAside({ optionKey: key }: { readonly optionKey: string }) {
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
      {optionOf(key).kind === 'lines' &&
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
  readonly optionKey: string
  readonly form: OptionForm
  readonly control: ControlProps
}

function OptionControl({ optionKey: key, form, control }: OptionControlProps) {
  const language = useLanguage()
  const { kind, initial, unit, choices = {} } = optionOf(key)
  const value = form.currentValue(key)
  const change = (next: string) => form.set(key, next)
  switch (kind) {
    case 'secret':
      return <SecretControl optionKey={key} form={form} control={control} />
    case 'quota':
      return <MoneyInput {...control} value={value} onChange={change} />
    case 'lines':
    case 'page':
      return (
        <TextArea {...control} isMono rows={6} value={value} onChange={event => change(event.target.value)} />
      )
    case 'json':
      return <JsonEditor {...control} rows={4} value={value} onChange={change} template={initial} />
    case 'names':
      return (
        <MultiCombobox
          {...control}
          isFree
          isMono
          options={initial.split(',')}
          value={value === '' ? [] : value.split(',')}
          onChange={names => change(names.join(','))}
        />
      )
    case 'choice':
      return (
        <Select
          {...control}
          value={Object.hasOwn(choices, value) ? value : initial}
          options={Object.entries(choices).map(([choice, label]) => ({
            value: choice,
            label: label[language],
          }))}
          onChange={change}
        />
      )
    default:
      return (
        <TextInput
          {...control}
          {...(kind === 'number' ? { inputMode: 'decimal' as const, className: 'tabular' } : {})}
          value={value}
          suffix={unit?.[language]}
          onChange={event => change(event.target.value)}
        />
      )
  }
}

/** A stored secret is never shown. Typing replaces it, an empty field keeps it, and a button removes it. */
function SecretControl({ optionKey: key, form, control }: OptionControlProps) {
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

const WIDE_KINDS: readonly OptionKind[] = ['lines', 'json', 'names', 'page']

interface OptionFieldsProps {
  readonly keys: readonly string[]
}

/** The fields of a section: switches, then short fields in two columns, then wide fields. */
export function OptionFields({ keys }: OptionFieldsProps) {
  const flags = keys.filter(key => optionOf(key).kind === 'flag')
  const wide = keys.filter(key => WIDE_KINDS.includes(optionOf(key).kind))
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
