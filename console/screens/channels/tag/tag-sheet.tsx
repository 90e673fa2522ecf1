import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useId, useState } from 'react'
import { distinctNames } from '#contract/fields.ts'
import { plainErrorText } from '../../../app/call-error.ts'
import { useDirtyGuard } from '../../../app/dirty-guard.ts'
import { useSetUrlState } from '../../../app/url-state.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { Field } from '../../../ui/field.tsx'
import { kitText } from '../../../ui/kit-text.ts'
import { MultiCombobox } from '../../../ui/multi-combobox.tsx'
import { Sheet } from '../../../ui/sheet.tsx'
import { useText } from '../../../ui/text.ts'
import { TextInput } from '../../../ui/text-input.tsx'
import { toast } from '../../../ui/toast.ts'
import { modelsQuery } from '../over-queries.ts'
import { overText } from '../over-text.ts'
import { groupsQuery, useTagWrites } from '../queries.ts'
import { ChannelSearch } from '../search.ts'
import { pairsOf } from '../sheet/mapping.ts'
import { TagMapping } from './tag-mapping.tsx'
import { isUnchanged, type TagFormValues, tagChangeOf } from './tag-values.ts'

interface TagSheetProps {
  readonly tag: string
  /** How many channels have it; undefined when they are not listed. */
  readonly size: number | undefined
}

/** Changes all channels of a tag. What stays empty stays as it is in each of them. */
export function TagSheet({ tag, size }: TagSheetProps) {
  const t = useText(overText)
  const kit = useText(kitText)
  const formId = useId()
  const setUrl = useSetUrlState(ChannelSearch)
  const blank: TagFormValues = { newTag: tag, models: [], groups: [], mapping: undefined }
  const [values, setValues] = useState(blank)
  const [problem, setProblem] = useState<string>()
  const [isSaved, setSaved] = useState(false)
  const { data: groups = [] } = useQuery(groupsQuery)
  const { data: models = [] } = useQuery(modelsQuery)
  const { update } = useTagWrites()
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
    if (pairsOf(values.mapping ?? '') === undefined) return setProblem(t('mappingBroken'))
    if (values.newTag.trim() === '' && !(await mayDissolve())) return
    try {
      await update.mutateAsync(tagChangeOf(tag, values))
      toast('success', t('tagUpdated'))
      setSaved(true)
    } catch (error) {
      setProblem(plainErrorText(error))
    }
  }
  const mayDissolve = () =>
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
          <Button type="submit" form={formId} look="primary" isBusy={update.isPending}>
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
        <Field label={t('tagName')} help={t('tagNameHelp')}>
          {control => (
            <TextInput
              {...control}
              value={values.newTag}
              onChange={event => set({ newTag: event.target.value })}
            />
          )}
        </Field>
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
        <TagMapping value={values.mapping} onChange={mapping => set({ mapping })} />
      </form>
    </Sheet>
  )
}
