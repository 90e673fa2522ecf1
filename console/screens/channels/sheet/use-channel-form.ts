import { useCallback, useEffect, useMemo, useState } from 'react'
import { useForm } from 'react-hook-form'
import type { Channel, ChannelType } from '#contract/channels.ts'
import { plainErrorText } from '../../../app/call-error.ts'
import { useDirtyGuard } from '../../../app/dirty-guard.ts'
import { useDraft, useDraftKeeper } from '../../../app/drafts.ts'
import { formResolver } from '../../../app/form-resolver.ts'
import { useText } from '../../../ui/text.ts'
import { toast } from '../../../ui/toast.ts'
import { useListWrites } from '../queries.ts'
import {
  ChannelFormValues,
  changeOf,
  channelFormSchema,
  draftOf,
  newValues,
  valuesOf,
} from './form-values.ts'
import { sheetText } from './sheet-text.ts'

interface ChannelFormInput {
  /** Undefined for a new channel. */
  readonly channel: Channel | undefined
  readonly types: ReadonlyMap<number, ChannelType>
  readonly onSaved: () => void
}

/** The state of the channel form, its rules, and what happens when it is sent. */
export function useChannelForm({ channel, types, onSaved }: ChannelFormInput) {
  const t = useText(sheetText)
  const [stored] = useState(channel)
  const [refusal, setRefusal] = useState<string>()
  const [isSaved, setSaved] = useState(false)
  const { create, save } = useListWrites()
  const isNew = stored === undefined
  const schema = useMemo(() => channelFormSchema({ isNew, types, t }), [isNew, types, t])
  const draftName = `channel-${stored?.id ?? 'new'}`
  const kept = ChannelFormValues.safeParse(useDraft(draftName)).data
  const form = useForm<ChannelFormValues>({
    mode: 'onTouched',
    shouldFocusError: false,
    defaultValues: stored ? valuesOf(stored) : newValues(types.values().next().value),
    resolver: formResolver(schema),
    ...(kept ? { values: kept, resetOptions: { keepDefaultValues: true } } : {}),
  })
  useDraftKeeper(
    draftName,
    useCallback(() => (form.formState.isDirty ? { ...form.getValues(), key: '' } : undefined), [form]),
  )
  useDirtyGuard(form.formState.isDirty && !isSaved)
  useEffect(() => {
    if (isSaved) onSaved()
  }, [isSaved, onSaved])

  const store = async (values: ChannelFormValues) => {
    const draft = draftOf(values, types)
    if (!stored) {
      const made = await create.mutateAsync(draft)
      return toast('success', made.length > 1 ? t('createdMany', { count: made.length }) : t('createdOne'))
    }
    const change = changeOf(stored, draft)
    if (!change) return toast('info', t('nothingChanged'))
    await save.mutateAsync(change)
    return toast('success', t('updated'))
  }
  const submit = form.handleSubmit(async values => {
    setRefusal(undefined)
    try {
      await store(values)
      setSaved(true)
    } catch (error) {
      setRefusal(plainErrorText(error))
    }
  })
  const isBusy = form.formState.isSubmitting || isSaved
  return { form, refusal, isBusy, submit: () => void (isBusy || submit()) }
}
