import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import type { ChannelType } from '#contract/channels.ts'
import { Combobox } from '../../../ui/combobox.tsx'
import { lazyPart } from '../../../ui/lazy-part.ts'
import { MultiCombobox } from '../../../ui/multi-combobox.tsx'
import { SheetSection } from '../../../ui/sheet-section.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { useText } from '../../../ui/text.ts'
import { modelsQuery } from '../over-queries.ts'
import { CustomModels } from './custom-models.tsx'
import { type ChannelFormState, FormField } from './form-field.tsx'
import { ModelTools } from './model-tools.tsx'
import { sheetText } from './sheet-text.ts'

const mapping = lazyPart(async () => (await import('./mapping-editor.tsx')).MappingEditor)

interface ModelsSectionProps {
  readonly form: ChannelFormState
  readonly type: ChannelType | undefined
  /** Undefined for a new channel. */
  readonly channelId: number | undefined
}

/** Which models the channel offers, and under which names the vendor knows them. */
export function ModelsSection({ form, type, channelId }: ModelsSectionProps) {
  const t = useText(sheetText)
  const { data: known = [] } = useQuery(modelsQuery)
  const { models, test_model: testModel } = form.watch()
  const options = [...new Set([...(type?.models ?? []), ...known])]
  const testable = [
    { value: '', label: t('firstModel') },
    ...[...new Set([...models, ...(testModel ? [testModel] : [])])].map(model => ({
      value: model,
      label: model,
    })),
  ]
  return (
    <SheetSection title={t('models')}>
      <FormField
        form={form}
        name="models"
        label={t('models')}
        isRequired
        aside={t('modelsCounted', { count: models.length })}
      >
        {(field, control) => (
          <MultiCombobox
            {...control}
            isFree
            isMono
            options={options}
            value={field.value}
            placeholder={t('modelsPlaceholder')}
            onChange={field.onChange}
          />
        )}
      </FormField>
      <ModelTools form={form} type={type} known={options} channelId={channelId} />
      <CustomModels
        own={models}
        onAdd={added =>
          form.setValue('models', [...models, ...added], { shouldDirty: true, shouldValidate: true })
        }
      />
      <FormField form={form} name="model_mapping" label={t('mapping')} help={t('mappingHelp')}>
        {(field, control) => (
          <Suspense fallback={<Skeleton className="h-24 w-full" />}>
            <mapping.Part
              control={control}
              value={field.value}
              models={models}
              onChange={field.onChange}
              onBlur={field.onBlur}
            />
          </Suspense>
        )}
      </FormField>
      <FormField form={form} name="test_model" label={t('testModel')} help={t('testModelHelp')}>
        {(field, control) => (
          <Combobox {...control} options={testable} value={field.value} onChange={field.onChange} />
        )}
      </FormField>
    </SheetSection>
  )
}
