import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { readStored, writeStored } from '../../../app/local-store.ts'
import { Banner } from '../../../ui/banner.tsx'
import { classes } from '../../../ui/classes.ts'
import { JsonEditor } from '../../../ui/json-editor.tsx'
import { NumberInput } from '../../../ui/number-input.tsx'
import { useText } from '../../../ui/text.ts'
import { type ChannelFormState, FormField } from './form-field.tsx'
import { advancedChanges } from './form-values.ts'
import { hiddenFailures } from './mapping.ts'
import { sheetText } from './sheet-text.ts'

const REMEMBERED = 'open-channel-advanced'
const TEMPLATES = {
  status_code_mapping: '{\n  "400": "500"\n}',
  setting: '{\n  "force_format": true\n}',
  param_override: '{\n  "temperature": 0\n}',
} as const
const FIELDS = [
  ['status_code_mapping', 'statusMapping', 'statusMappingHelp'],
  ['setting', 'setting', 'settingHelp'],
  ['param_override', 'override', 'overrideHelp'],
] as const

/** What few channels need. Stays open for those who opened it; a folded part says how much is changed in it. */
export function AdvancedSection({ form }: { readonly form: ChannelFormState }) {
  const t = useText(sheetText)
  const [isOpen, setOpen] = useState(() => readStored(REMEMBERED) === 'true')
  const values = form.watch()
  const changes = advancedChanges(values)
  const hidden = hiddenFailures(values.status_code_mapping)
  const hasError = FIELDS.some(([name]) => form.formState.errors[name])
  const isShown = isOpen || hasError
  const toggle = () => {
    writeStored(REMEMBERED, isShown ? undefined : 'true')
    setOpen(!isShown)
  }
  return (
    <section aria-label={t('advanced')} className="grid gap-5">
      <h3>
        <button
          type="button"
          aria-expanded={isShown}
          onClick={toggle}
          className="flex w-full items-center gap-2 rounded-control py-1 text-left text-body font-semibold touch-target"
        >
          <ChevronRight size={16} aria-hidden className={classes('text-muted', isShown && 'rotate-90')} />
          {t('advanced')}
          {changes > 0 && (
            <span className="text-caption font-normal text-accent">
              {t('advancedChanged', { count: changes })}
            </span>
          )}
        </button>
      </h3>
      {isShown && (
        <>
          {FIELDS.map(([name, label, help]) => (
            <FormField key={name} form={form} name={name} label={t(label)} help={t(help)}>
              {(field, control) => <JsonEditor {...control} {...field} rows={3} template={TEMPLATES[name]} />}
            </FormField>
          ))}
          {hidden.length > 0 && (
            <Banner tone="warning">{t('hiddenFailures', { codes: hidden.join(', ') })}</Banner>
          )}
          <FormField
            form={form}
            name="max_input_tokens"
            label={t('maxInputTokens')}
            help={t('maxInputTokensHelp')}
          >
            {(field, control) => <NumberInput {...control} {...field} min={0} step={1000} />}
          </FormField>
        </>
      )}
    </section>
  )
}
