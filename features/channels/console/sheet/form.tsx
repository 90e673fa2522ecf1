import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useCallback, useEffect, useId, useMemo, useState } from 'react'
import { type UseFormReturn, useForm } from 'react-hook-form'
import { callWithMeta, plainErrorText } from '#console/app/api/call.ts'
import { useDirtyGuard } from '#console/app/forms/dirty-guard.ts'
import { useDraft, useDraftSaver } from '#console/app/forms/drafts.ts'
import { formResolver, VALIDATED_AS_TYPED } from '#console/app/forms/record-form.ts'
import { SheetSections } from '#console/app/sheet-sections.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { FormErrors } from '#console/ui/forms/form-errors.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { type PreviousNext, SectionAnchors, Sheet } from '#console/ui/overlays/sheet.tsx'
import { useKitText } from '#console/ui/text/kit-text.ts'
import { testUnsavedChannel } from '../../contract/channel-checks.ts'
import type { Channel, ChannelType } from '../../contract/channels.ts'
import { StatusCell } from '../cells.tsx'
import { useListMutations } from '../queries.ts'
import { useSheetNavigation } from '../search-params.ts'
import { useChannelActions } from '../use-channel-actions.ts'
import { AdvancedSection } from './advanced-section.tsx'
import { BasicsSection } from './basics-section.tsx'
import { fieldErrors } from './form-field.tsx'
import {
  ChannelFormValues,
  channelFormSchema,
  newChannelValues,
  toChannelChange,
  toChannelDraft,
  toFormValues,
} from './form-schema.ts'
import { ModelsSection } from './models-section.tsx'
import { RoutingSection } from './routing-section.tsx'
import { useSheetText } from './text.ts'

interface ChannelFormProps {
  /** Undefined for a new channel. */
  readonly channel: Channel | undefined
  readonly types: ReadonlyMap<number, ChannelType>
  readonly previousNext?: PreviousNext | undefined
}

const SECTIONS = ['basics', 'models', 'routing', 'advanced'] as const

export function ChannelForm({ channel, types, previousNext }: ChannelFormProps) {
  const t = useSheetText()
  const formId = useId()
  const navigation = useSheetNavigation()
  const { form, saveError, isBusy, submit } = useChannelForm({ channel, types, onSaved: navigation.close })
  const { test, isTesting } = useUnsavedTest({ form, types, stored: channel })
  const { errors, submitCount } = form.formState
  const submitByButton = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    submit()
  }

  return (
    <Sheet
      title={channel ? channel.name : t('add')}
      status={channel && <SheetStatus channel={channel} />}
      width="wide"
      onClose={navigation.close}
      onSubmit={submit}
      footer={
        <FormFooter channel={channel} formId={formId} isBusy={isBusy} test={test} isTesting={isTesting} />
      }
      {...(previousNext ? { previousNext } : {})}
    >
      <SectionAnchors
        label={t('sections')}
        sections={SECTIONS.map(id => ({ id: `channel-${id}`, title: t(id) }))}
      />
      <form id={formId} noValidate autoComplete="off" onSubmit={submitByButton}>
        <FormErrors errors={fieldErrors(errors, t)} attempt={submitCount} serverError={saveError} />
        <div className="grid gap-8 [&>div]:scroll-mt-12">
          <div id="channel-basics">
            <BasicsSection form={form} types={types} stored={channel} />
          </div>
          <div id="channel-models">
            <ModelsSection form={form} types={types} stored={channel} />
          </div>
          <div id="channel-routing">
            <RoutingSection form={form} />
          </div>
          <div id="channel-advanced">
            <AdvancedSection form={form} stored={channel} />
          </div>
        </div>
      </form>
      {channel && <SheetSections of="channel" id={channel.id} />}
    </Sheet>
  )
}

const SheetStatus = ({ channel }: { readonly channel: Channel }) => (
  <>
    <span className="text-small text-subtle tabular">#{channel.id}</span>
    <StatusCell channel={channel} />
  </>
)

interface FormFooterProps {
  readonly channel: Channel | undefined
  readonly formId: string
  readonly isBusy: boolean
  readonly test: () => void
  readonly isTesting: boolean
}

function FormFooter({ channel, formId, isBusy, test, isTesting }: FormFooterProps) {
  const t = useSheetText()
  const kit = useKitText()
  const navigation = useSheetNavigation()
  const actions = useChannelActions()
  return (
    <>
      {channel && (
        <span className="mr-auto flex gap-2">
          <Button variant="danger-text" onClick={() => void actions.remove(channel, navigation.close)}>
            {t('delete')}
          </Button>
          <Button variant="ghost" onClick={() => actions.openTest(channel)}>
            {t('testModels')}
          </Button>
        </span>
      )}
      <span className="flex gap-2">
        <Button isBusy={isTesting} onClick={test}>
          {t('testFirst')}
        </Button>
        <Button onClick={navigation.close}>{kit('cancel')}</Button>
        <Button type="submit" form={formId} variant="primary" isBusy={isBusy} data-shortcut="⌘⏎">
          {channel ? kit('save') : t('create')}
        </Button>
      </span>
    </>
  )
}

interface ChannelFormInput {
  /** Undefined for a new channel. */
  readonly channel: Channel | undefined
  readonly types: ReadonlyMap<number, ChannelType>
  readonly onSaved: () => void
}

/** The state of the channel form, its rules and its submission. */
function useChannelForm({ channel, types, onSaved }: ChannelFormInput) {
  const t = useSheetText()
  const [stored] = useState(channel)
  const [saveError, setSaveError] = useState<string>()
  const [isSaved, setSaved] = useState(false)
  const { create, save } = useListMutations()
  const schema = useMemo(() => channelFormSchema({ stored, types, t }), [stored, types, t])
  const draftName = `channel-${stored?.id ?? 'new'}`
  const kept = ChannelFormValues.safeParse(useDraft(draftName)).data
  const form = useForm<ChannelFormValues>({
    ...VALIDATED_AS_TYPED,
    defaultValues: stored ? toFormValues(stored) : newChannelValues(types.values().next().value),
    resolver: formResolver(schema),
    ...(kept ? { values: kept, resetOptions: { keepDefaultValues: true } } : {}),
  })
  useDraftSaver(
    draftName,
    useCallback(() => (form.formState.isDirty ? { ...form.getValues(), key: '' } : undefined), [form]),
  )
  useDirtyGuard(form.formState.isDirty && !isSaved)
  useEffect(() => {
    if (isSaved) onSaved()
  }, [isSaved, onSaved])

  const store = async (values: ChannelFormValues) => {
    const draft = toChannelDraft(values, types)
    if (!stored) {
      const created = await create.mutateAsync(draft)
      return toast(
        'success',
        created.length > 1 ? t('createdMany', { count: created.length }) : t('createdOne'),
      )
    }
    const change = toChannelChange(stored, draft)
    if (!change) return toast('info', t('nothingChanged'))
    await save.mutateAsync(change)
    return toast('success', t('updated'))
  }
  const submit = form.handleSubmit(async values => {
    setSaveError(undefined)
    try {
      await store(values)
      setSaved(true)
    } catch (error) {
      setSaveError(plainErrorText(error))
    }
  })
  const isBusy = form.formState.isSubmitting || isSaved
  return { form, saveError, isBusy, submit: () => void (isBusy || submit()) }
}

interface UnsavedTestInput {
  readonly form: UseFormReturn<ChannelFormValues>
  readonly types: ReadonlyMap<number, ChannelType>
  /** Undefined for a new channel. */
  readonly stored: Channel | undefined
}

/** Slightly longer than the server waits for the provider. */
const UNSAVED_TEST_TIMEOUT_MS = 70_000

/** Sends a small request with the unsaved values of the form. An empty key means the key of the stored channel. */
function useUnsavedTest({ form, types, stored }: UnsavedTestInput) {
  const t = useSheetText()
  const test = useMutation({
    meta: { isQuiet: true },
    mutationFn: async () => {
      const draft = toChannelDraft(form.getValues(), types)
      const body = { ...draft, model: '', stream: false, ...(stored && { copy_from: stored.id }) }
      const { meta } = await callWithMeta(testUnsavedChannel, { body, timeoutMs: UNSAVED_TEST_TIMEOUT_MS })
      return meta.time
    },
    onSuccess: seconds => toast('success', t('testPassed', { seconds })),
    onError: error => toast('error', plainErrorText(error)),
  })
  const testWhenValid = async () => {
    if (await form.trigger()) test.mutate()
  }
  return { test: () => void testWhenValid(), isTesting: test.isPending }
}
