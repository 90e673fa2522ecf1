import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { readStored, writeStored } from '#console/app/preferences/local-store.ts'
import { classes } from '#console/ui/class-names.ts'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { Select } from '#console/ui/forms/fields.tsx'
import { JsonEditor } from '#console/ui/forms/json-editor.tsx'
import { NumberInput } from '#console/ui/forms/number-inputs.tsx'
import { REQUEST_POLICIES } from '#contract/enums.ts'
import type { Channel } from '../../contract/channels.ts'
import { type ChannelFormState, FormField, TextField } from './form-field.tsx'
import { countAdvancedChanges } from './form-schema.ts'
import { findHiddenFailures, upstreamModels } from './mapping.ts'
import { PurchasePriceEditor } from './purchase-price-editor.tsx'
import { useSheetText } from './text.ts'
import { UsageFields } from './usage-fields.tsx'

const STORAGE_KEY = 'open-channel-advanced'
const TEMPLATES = {
  status_code_mapping: '{\n  "400": "500"\n}',
  setting: '{\n  "force_format": true\n}',
  param_override: '{\n  "temperature": 0\n}',
} as const
const ERROR_FIELDS = [
  'status_code_mapping',
  'setting',
  'param_override',
  'region',
  'usage_multiplier',
  'purchase_factor',
  'purchase_prices',
] as const
const POLICY_FIELDS = ['service_tier', 'server_tools'] as const
const JSON_FIELDS = ['status_code_mapping', 'setting', 'param_override'] as const

interface AdvancedSectionProps {
  readonly form: ChannelFormState
  /** Undefined for a new channel. */
  readonly stored: Channel | undefined
}

/** Rarely used fields. The section stays open once opened; while closed it shows how many of its fields are set. */
export function AdvancedSection({ form, stored }: AdvancedSectionProps) {
  const t = useSheetText()
  const [isOpen, setOpen] = useState(() => readStored(STORAGE_KEY) === 'true')
  const values = form.watch()
  const changes = countAdvancedChanges(values)
  const hidden = findHiddenFailures(values.status_code_mapping)
  const hasError = ERROR_FIELDS.some(name => form.formState.errors[name])
  const isShown = isOpen || hasError
  const toggle = () => {
    writeStored(STORAGE_KEY, isShown ? undefined : 'true')
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
          <ProviderTerms form={form} />
          <UsageFields form={form} stored={stored} />
          <TextField
            form={form}
            name="purchase_factor"
            label={t('purchase_factor')}
            help={t('purchase_factor_help')}
            inputMode="decimal"
          />
          <FormField
            form={form}
            name="purchase_prices"
            label={t('purchase_prices')}
            help={t('purchase_prices_help')}
          >
            {(field, control) => (
              <PurchasePriceEditor
                control={control}
                rows={field.value}
                models={upstreamModels(values)}
                onChange={field.onChange}
                onBlur={field.onBlur}
              />
            )}
          </FormField>
          {JSON_FIELDS.map(name => (
            <FormField key={name} form={form} name={name} label={t(name)} help={t(`${name}_help`)}>
              {(field, control) => <JsonEditor {...control} {...field} rows={3} template={TEMPLATES[name]} />}
            </FormField>
          ))}
          {hidden.length > 0 && (
            <Banner tone="warning">{t('hiddenFailures', { codes: hidden.join(', ') })}</Banner>
          )}
          <FormField
            form={form}
            name="max_input_tokens"
            label={t('max_input_tokens')}
            help={t('max_input_tokens_help')}
          >
            {(field, control) => <NumberInput {...control} {...field} min={0} step={1000} />}
          </FormField>
        </>
      )}
    </section>
  )
}

/** Requests to the provider at another price: service tiers and server tools. */
function ProviderTerms({ form }: { readonly form: ChannelFormState }) {
  const t = useSheetText()
  const options = REQUEST_POLICIES.map(value => ({ value, label: t(`policy_${value}`) }))
  return (
    <>
      <div className="grid gap-5 sm:grid-cols-2">
        {POLICY_FIELDS.map(name => (
          <FormField key={name} form={form} name={name} label={t(name)} help={t(`${name}_help`)}>
            {(field, control) => <Select {...control} {...field} options={options} />}
          </FormField>
        ))}
      </div>
      <TextField form={form} name="region" label={t('region')} help={t('region_help')} />
    </>
  )
}
