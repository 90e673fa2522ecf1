import { useMutation } from '@tanstack/react-query'
import { call, plainErrorText } from '#console/app/api/call.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { Select } from '#console/ui/forms/fields.tsx'
import { NumberInput } from '#console/ui/forms/number-inputs.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { probeUsage } from '../../contract/channel-checks.ts'
import type { Channel } from '../../contract/channels.ts'
import { type ChannelFormState, FormField } from './form-field.tsx'
import { COUNTING_CHOICES } from './setting-fields.ts'
import { useSheetText } from './text.ts'

interface UsageFieldsProps {
  readonly form: ChannelFormState
  /** Undefined for a new channel, whose upstream cannot be probed yet. */
  readonly stored: Channel | undefined
}

/** How the upstream counts. A probe of the stored channel fills the fields in. */
export function UsageFields({ form, stored }: UsageFieldsProps) {
  const t = useSheetText()
  const probe = useMutation({
    mutationFn: (id: number) => call(probeUsage, { params: { id }, body: { model: '' } }),
    onSuccess({ findings: { cached_tokens, reasoning_tokens, usage_multiplier } }) {
      const options = { shouldDirty: true, shouldValidate: true }
      if (cached_tokens) form.setValue('cached_tokens', cached_tokens, options)
      if (reasoning_tokens) form.setValue('reasoning_tokens', reasoning_tokens, options)
      if (usage_multiplier) form.setValue('usage_multiplier', String(usage_multiplier), options)
      toast('success', t('probed', { multiplier: usage_multiplier ?? 1 }))
    },
    onError: error => toast('error', plainErrorText(error)),
  })
  const options = COUNTING_CHOICES.map(value => ({ value, label: t(`counting_${value || 'provider'}`) }))
  return (
    <>
      <div className="grid gap-5 sm:grid-cols-2">
        {(['cached_tokens', 'reasoning_tokens'] as const).map(name => (
          <FormField key={name} form={form} name={name} label={t(name)} help={t(`${name}_help`)}>
            {(field, control) => <Select {...control} {...field} options={options} />}
          </FormField>
        ))}
      </div>
      <FormField
        form={form}
        name="usage_multiplier"
        label={t('usage_multiplier')}
        help={t('usage_multiplier_help')}
        aside={
          stored && (
            <Button variant="ghost" isBusy={probe.isPending} onClick={() => probe.mutate(stored.id)}>
              {t('probe')}
            </Button>
          )
        }
      >
        {(field, control) => <NumberInput {...control} {...field} min={0} step={0.1} />}
      </FormField>
    </>
  )
}
