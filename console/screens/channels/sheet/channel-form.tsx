import { type FormEvent, useEffect, useId, useState } from 'react'
import { useForm } from 'react-hook-form'
import type { Channel, ChannelType } from '#contract/channels.ts'
import { plainErrorText } from '../../../app/call-error.ts'
import { useDirtyGuard } from '../../../app/dirty-guard.ts'
import { formResolver } from '../../../app/form-resolver.ts'
import { Button } from '../../../ui/button.tsx'
import { FormErrors } from '../../../ui/form-errors.tsx'
import { kitText } from '../../../ui/kit-text.ts'
import { SectionAnchors } from '../../../ui/section-anchors.tsx'
import { Sheet, type SheetNeighbours } from '../../../ui/sheet.tsx'
import { useText } from '../../../ui/text.ts'
import { toast } from '../../../ui/toast.ts'
import { usePlace } from '../place.ts'
import { useListWrites } from '../queries.ts'
import { StatusCell } from '../status-cell.tsx'
import { text } from '../text.ts'
import { useChannelActions } from '../use-channel-actions.ts'
import { AdvancedSection } from './advanced-section.tsx'
import { BasicsSection } from './basics-section.tsx'
import { fieldErrors } from './field-errors.ts'
import { changeOf, channelFormSchema, draftOf, newValues, valuesOf } from './form-values.ts'
import { ModelsSection } from './models-section.tsx'
import { RoutingSection } from './routing-section.tsx'

interface ChannelFormProps {
  /** Undefined for a new channel. */
  readonly channel: Channel | undefined
  readonly types: ReadonlyMap<number, ChannelType>
  readonly neighbours?: SheetNeighbours | undefined
}

const SECTIONS = ['basics', 'models', 'routing', 'advanced'] as const

export function ChannelForm({ channel, types, neighbours }: ChannelFormProps) {
  const t = useText(text)
  const formId = useId()
  const place = usePlace()
  const isNew = channel === undefined
  const [refusal, setRefusal] = useState<string>()
  const [isSaved, setSaved] = useState(false)
  const [stored] = useState(channel)
  const { create, save } = useListWrites()
  const form = useForm({
    resolver: formResolver(channelFormSchema({ isNew, types, t })),
    defaultValues: channel ? valuesOf(channel) : newValues(types.values().next().value),
    mode: 'onTouched',
  })
  const { isDirty, errors, submitCount, isSubmitting } = form.formState
  const type = types.get(Number(form.watch('type')))
  useDirtyGuard(isDirty && !isSaved)
  useEffect(() => {
    if (isSaved) place.close()
  }, [isSaved, place])

  const store = async () => {
    const draft = draftOf(form.getValues(), types)
    if (!stored) {
      const made = await create.mutateAsync(draft)
      return toast('success', made.length > 1 ? t('createdMany', { count: made.length }) : t('createdOne'))
    }
    const change = changeOf(stored, draft)
    if (!change) return toast('info', t('nothingChanged'))
    await save.mutateAsync(change)
    return toast('success', t('updated'))
  }
  const submit = form.handleSubmit(async () => {
    setRefusal(undefined)
    try {
      await store()
      setSaved(true)
    } catch (error) {
      setRefusal(plainErrorText(error))
    }
  })
  const onSubmit = (event?: FormEvent) => {
    event?.preventDefault()
    event?.stopPropagation()
    if (!isSubmitting && !isSaved) void submit()
  }

  return (
    <Sheet
      title={channel ? channel.name : t('add')}
      status={channel && <SheetStatus channel={channel} />}
      width="wide"
      onClose={place.close}
      onSubmit={onSubmit}
      footer={<FormFooter channel={channel} formId={formId} isBusy={isSubmitting} />}
      {...(neighbours ? { neighbours } : {})}
    >
      <SectionAnchors
        label={t('sections')}
        sections={SECTIONS.map(id => ({ id: `channel-${id}`, title: t(id) }))}
      />
      <form id={formId} noValidate autoComplete="off" onSubmit={onSubmit}>
        <FormErrors errors={fieldErrors(errors, t)} attempt={submitCount} refusal={refusal} />
        <div className="grid gap-8 [&>div]:scroll-mt-12">
          <div id="channel-basics">
            <BasicsSection form={form} types={types} isNew={isNew} />
          </div>
          <div id="channel-models">
            <ModelsSection form={form} type={type} channelId={channel?.id} />
          </div>
          <div id="channel-routing">
            <RoutingSection form={form} />
          </div>
          <div id="channel-advanced">
            <AdvancedSection form={form} />
          </div>
        </div>
      </form>
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
}

function FormFooter({ channel, formId, isBusy }: FormFooterProps) {
  const t = useText(text)
  const kit = useText(kitText)
  const place = usePlace()
  const actions = useChannelActions()
  return (
    <>
      {channel && (
        <>
          <Button look="danger-text" onClick={() => void actions.remove(channel, place.close)}>
            {t('delete')}
          </Button>
          <Button look="ghost" className="mr-auto" onClick={() => actions.openTest(channel)}>
            {t('testModels')}
          </Button>
        </>
      )}
      <Button onClick={place.close}>{kit('cancel')}</Button>
      <Button type="submit" form={formId} look="primary" isBusy={isBusy} data-shortcut="⌘⏎">
        {channel ? kit('save') : t('create')}
      </Button>
    </>
  )
}
