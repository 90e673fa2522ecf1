import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, Suspense, useState } from 'react'
import { errorText } from '#console/app/api/call.ts'
import { Button, CopyButton } from '#console/ui/buttons/buttons.tsx'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { Combobox, MultiCombobox } from '#console/ui/forms/combobox.tsx'
import { Field, TextInput } from '#console/ui/forms/fields.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { toast } from '#console/ui/overlays/messages.tsx'
import { SheetSection } from '#console/ui/overlays/sheet.tsx'
import type { Channel, ChannelType } from '../../contract/channels.ts'
import { fetchModels, modelsQuery } from '../queries.ts'
import { type ChannelFormState, FormField } from './form-field.tsx'
import { findMissingKey } from './key-move.ts'
import { parseModelNames } from './models.ts'
import { StoppedModels } from './stopped-models.tsx'
import { useSheetText } from './text.ts'

const mappingEditor = lazyPart(async () => (await import('./mapping-editor.tsx')).MappingEditor)

interface ModelsSectionProps {
  readonly form: ChannelFormState
  readonly types: ReadonlyMap<number, ChannelType>
  /** Undefined for a new channel. */
  readonly stored: Channel | undefined
}

/** The models that the channel offers, and their names at the provider. */
export function ModelsSection({ form, types, stored }: ModelsSectionProps) {
  const t = useSheetText()
  const type = types.get(Number(form.watch('type')))
  const { data: allModels = [] } = useQuery(modelsQuery)
  const { models, test_model: testModel } = form.watch()
  const options = [...new Set([...(type?.models ?? []), ...allModels])]
  const testable = [
    { value: '', label: t('firstModel') },
    ...[...new Set([...models, ...(testModel ? [testModel] : [])])].map(model => ({
      value: model,
      label: model,
    })),
  ]
  return (
    <SheetSection title={t('models')}>
      {stored && <StoppedModels channel={stored} />}
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
      <ModelTools form={form} types={types} known={options} stored={stored} />
      <CustomModels
        own={models}
        onAdd={added =>
          form.setValue('models', [...models, ...added], { shouldDirty: true, shouldValidate: true })
        }
      />
      <FormField form={form} name="model_mapping" label={t('model_mapping')} help={t('model_mapping_help')}>
        {(field, control) => (
          <Suspense fallback={<Skeleton className="h-24 w-full" />}>
            <mappingEditor.Part
              control={control}
              value={field.value}
              models={models}
              onChange={field.onChange}
              onBlur={field.onBlur}
            />
          </Suspense>
        )}
      </FormField>
      <FormField form={form} name="test_model" label={t('test_model')} help={t('test_model_help')}>
        {(field, control) => (
          <Combobox {...control} options={testable} value={field.value} onChange={field.onChange} />
        )}
      </FormField>
    </SheetSection>
  )
}

const modelsDialog = lazyPart(async () => (await import('./models-dialog.tsx')).ModelsDialog)

const MISSING_KEY_TEXTS = { first: 'keyNeeded', again: 'keyNeededAgain' } as const

interface ModelToolsProps extends ModelsSectionProps {
  readonly known: readonly string[]
}

/** Fills, sorts, copies and clears the model list, or fetches it from the provider. */
function ModelTools({ form, types, known, stored }: ModelToolsProps) {
  const t = useSheetText()
  const [upstream, setUpstream] = useState<readonly string[]>()
  const [isFetching, setFetching] = useState(false)
  const { models, type: typeNumber } = form.watch()
  const type = types.get(Number(typeNumber))
  const set = (next: readonly string[]) =>
    form.setValue('models', [...new Set(next)], { shouldDirty: true, shouldValidate: true })

  const fetchUpstream = async () => {
    const values = form.getValues()
    const { key, base_url, other } = values
    const missingKey = findMissingKey(stored, values, types)
    if (missingKey) {
      const message = t(MISSING_KEY_TEXTS[missingKey])
      form.setError('key', { message })
      return toast('error', message)
    }
    setFetching(true)
    try {
      const draft = { type: Number(typeNumber), key, base_url, other }
      const fetched: unknown =
        stored && key.trim() === '' ? await fetchModels.saved(stored.id) : await fetchModels.unsaved(draft)
      if (!Array.isArray(fetched)) return toast('error', t('resubmit'))
      setUpstream(fetched.map(String))
      toast('success', t('modelsFetched'))
    } catch (error) {
      toast('error', `${t('modelsNotFetched')} · ${errorText(error)}`)
    } finally {
      setFetching(false)
    }
  }

  return (
    <div className="-mt-3 flex flex-wrap items-center gap-1 coarse:gap-y-4">
      {type && type.models.length > 0 && (
        <Button size="small" onClick={() => set([...models, ...type.models])}>
          {t('fillRelated')}
        </Button>
      )}
      <Button size="small" onClick={() => set([...models, ...known])}>
        {t('fillAll')}
      </Button>
      {type?.can_list_models !== false && (
        <Button
          size="small"
          isBusy={isFetching}
          onPointerEnter={modelsDialog.preload}
          onFocus={modelsDialog.preload}
          onClick={() => void fetchUpstream()}
        >
          {t('fetchModels')}
        </Button>
      )}
      <Button size="small" disabled={models.length < 2} onClick={() => set(models.toSorted())}>
        {t('sort')}
      </Button>
      <Button size="small" disabled={models.length === 0} onClick={() => set([])}>
        {t('clearModels')}
      </Button>
      <CopyButton text={() => form.getValues().models.join(',')} label={t('copyModels')} />
      <Suspense fallback={null}>
        {upstream && (
          <modelsDialog.Part
            own={models}
            upstream={upstream}
            mapping={form.getValues().model_mapping}
            onApply={set}
            onClose={() => setUpstream(undefined)}
          />
        )}
      </Suspense>
    </div>
  )
}

interface CustomModelsProps {
  readonly own: readonly string[]
  readonly onAdd: (models: readonly string[]) => void
}

/** Adds typed model names, separated by commas. Only names that the channel already has are rejected. */
function CustomModels({ own, onAdd }: CustomModelsProps) {
  const t = useSheetText()
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string>()
  const add = () => {
    const { added, repeated } = parseModelNames(typed, own)
    if (added.length > 0) onAdd(added)
    setTyped(repeated.join(','))
    setProblem(repeated.length > 0 ? t('modelsRepeated', { models: repeated.join(', ') }) : undefined)
  }
  const addByEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || event.metaKey || event.ctrlKey) return
    event.preventDefault()
    add()
  }
  return (
    <Field label={t('customModels')} error={problem}>
      {control => (
        <div className="flex gap-2">
          <div className="flex-1">
            <TextInput
              {...control}
              isMono
              value={typed}
              placeholder={t('customModelsPlaceholder')}
              onChange={event => setTyped(event.target.value)}
              onKeyDown={addByEnter}
            />
          </div>
          <Button disabled={typed.trim() === ''} onClick={add}>
            {t('addModels')}
          </Button>
        </div>
      )}
    </Field>
  )
}
