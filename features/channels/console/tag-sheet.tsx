import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useId, useState } from 'react'
import { plainErrorText } from '#console/app/api/call.ts'
import { useDirtyGuard } from '#console/app/forms/dirty-guard.ts'
import { useSetSearchParams } from '#console/app/router/search-params.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { MultiCombobox } from '#console/ui/forms/combobox.tsx'
import { Field } from '#console/ui/forms/fields.tsx'
import { JsonEditor } from '#console/ui/forms/json-editor.tsx'
import { InputField } from '#console/ui/forms/labelled-inputs.tsx'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import { Sheet } from '#console/ui/overlays/sheet.tsx'
import { useKitText } from '#console/ui/text/kit-text.ts'
import { distinctNames } from '#contract/fields.ts'
import { useDialogText } from './dialog-text.ts'
import { groupsQuery, modelsQuery, useTagMutations } from './queries.ts'
import { ChannelSearch } from './search-params.ts'
import { MAPPING_TEMPLATE, parsePairs } from './sheet/mapping.ts'
import { isUnchanged, type TagFormValues, toTagChange } from './tag-change.ts'

interface TagSheetProps {
  readonly tag: string
  /** The number of channels with the tag; undefined when they are not listed. */
  readonly size: number | undefined
}

/** Changes all channels of a tag. Empty fields leave each channel as it is. */
export function TagSheet({ tag, size }: TagSheetProps) {
  const t = useDialogText()
  const kit = useKitText()
  const formId = useId()
  const setUrl = useSetSearchParams(ChannelSearch)
  const initial: TagFormValues = { new_tag: tag, models: [], groups: [], model_mapping: undefined }
  const [values, setValues] = useState(initial)
  const [problem, setProblem] = useState<string>()
  const [isSaved, setSaved] = useState(false)
  const { data: groups = [] } = useQuery(groupsQuery)
  const { data: models = [] } = useQuery(modelsQuery)
  const { update } = useTagMutations()
  const isDirty = !isUnchanged(tag, values)
  const set = (part: Partial<TagFormValues>) => setValues({ ...values, ...part })
  useDirtyGuard(isDirty && !isSaved)
  useEffect(() => {
    if (isSaved) setUrl({ tag: '' })
  }, [isSaved, setUrl])

  const submit = async (event?: FormEvent) => {
    event?.preventDefault()
    setProblem(undefined)
    if (!isDirty) return toast('info', t('tagUnchanged'))
    if (parsePairs(values.model_mapping ?? '') === undefined) return setProblem(t('mappingBroken'))
    if (values.new_tag.trim() === '' && !(await confirmDissolve())) return
    try {
      await update.mutateAsync(toTagChange(tag, values))
      toast('success', t('tagUpdated'))
      setSaved(true)
    } catch (error) {
      setProblem(plainErrorText(error))
    }
  }
  const confirmDissolve = () =>
    confirm({
      title: t('dissolveTitle', { tag }),
      text: t('dissolveText'),
      action: t('dissolve'),
      isDanger: true,
    })

  return (
    <Sheet
      title={t('editTagOf', { tag })}
      status={
        size !== undefined && (
          <span className="text-small text-subtle tabular">{t('channelsOf', { count: size })}</span>
        )
      }
      onClose={() => setUrl({ tag: '' })}
      onSubmit={() => void submit()}
      footer={
        <>
          <Button onClick={() => setUrl({ tag: '' })}>{kit('cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" isBusy={update.isPending}>
            {size === undefined ? kit('save') : t('saveFor', { count: size })}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate className="grid gap-5" onSubmit={event => void submit(event)}>
        {problem && (
          <Banner tone="danger" isAlert>
            {problem}
          </Banner>
        )}
        <Banner tone="warning">{t('tagWarning')}</Banner>
        <InputField
          label={t('tagName')}
          help={t('tagNameHelp')}
          value={values.new_tag}
          onChange={event => set({ new_tag: event.target.value })}
        />
        <Field label={t('models')} help={t('emptyUnchanged')}>
          {control => (
            <MultiCombobox
              {...control}
              isFree
              isMono
              options={models}
              value={values.models}
              placeholder={t('modelsPlaceholder')}
              onChange={chosen => set({ models: distinctNames(chosen) })}
            />
          )}
        </Field>
        <Field label={t('groups')} help={t('emptyUnchanged')}>
          {control => (
            <MultiCombobox
              {...control}
              options={groups}
              value={values.groups}
              onChange={chosen => set({ groups: chosen })}
            />
          )}
        </Field>
        <TagMapping value={values.model_mapping} onChange={model_mapping => set({ model_mapping })} />
      </form>
    </Sheet>
  )
}

interface TagMappingProps {
  /** Undefined changes nothing. */
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
}

/** The mapping for all channels of a tag: a new one, an empty one, or no change. */
function TagMapping({ value, onChange }: TagMappingProps) {
  const t = useDialogText()
  return (
    <Field
      label={t('model_mapping')}
      help={value === undefined ? t('mappingUnchanged') : value === '{}' ? t('mappingCleared') : undefined}
    >
      {control => (
        <div className="grid gap-2">
          <JsonEditor
            {...control}
            value={value ?? ''}
            placeholder={MAPPING_TEMPLATE}
            template={MAPPING_TEMPLATE}
            onChange={next => onChange(next === '' ? undefined : next)}
          />
          <div className="flex gap-2">
            <Button size="small" onClick={() => onChange('{}')}>
              {t('clearMapping')}
            </Button>
            <Button size="small" disabled={value === undefined} onClick={() => onChange(undefined)}>
              {t('noChange')}
            </Button>
          </div>
        </div>
      )}
    </Field>
  )
}
