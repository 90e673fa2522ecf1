import { type FormEvent, useId } from 'react'
import type { Channel, ChannelType } from '#contract/channels.ts'
import { Button } from '../../../ui/button.tsx'
import { FormErrors } from '../../../ui/form-errors.tsx'
import { kitText } from '../../../ui/kit-text.ts'
import { SectionAnchors } from '../../../ui/section-anchors.tsx'
import { Sheet, type SheetNeighbours } from '../../../ui/sheet.tsx'
import { useText } from '../../../ui/text.ts'
import { usePlace } from '../place.ts'
import { StatusCell } from '../status-cell.tsx'
import { useChannelActions } from '../use-channel-actions.ts'
import { AdvancedSection } from './advanced-section.tsx'
import { BasicsSection } from './basics-section.tsx'
import { fieldErrors } from './field-errors.ts'
import { ModelsSection } from './models-section.tsx'
import { RoutingSection } from './routing-section.tsx'
import { sheetText } from './sheet-text.ts'
import { useChannelForm } from './use-channel-form.ts'
import { useUnsavedTest } from './use-unsaved-test.ts'

interface ChannelFormProps {
  /** Undefined for a new channel. */
  readonly channel: Channel | undefined
  readonly types: ReadonlyMap<number, ChannelType>
  readonly neighbours?: SheetNeighbours | undefined
}

const SECTIONS = ['basics', 'models', 'routing', 'advanced'] as const

export function ChannelForm({ channel, types, neighbours }: ChannelFormProps) {
  const t = useText(sheetText)
  const formId = useId()
  const place = usePlace()
  const { form, refusal, isBusy, submit } = useChannelForm({ channel, types, onSaved: place.close })
  const { test, isTesting } = useUnsavedTest({ form, types, stored: channel })
  const { errors, submitCount } = form.formState
  const type = types.get(Number(form.watch('type')))
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
      onClose={place.close}
      onSubmit={submit}
      footer={
        <FormFooter channel={channel} formId={formId} isBusy={isBusy} test={test} isTesting={isTesting} />
      }
      {...(neighbours ? { neighbours } : {})}
    >
      <SectionAnchors
        label={t('sections')}
        sections={SECTIONS.map(id => ({ id: `channel-${id}`, title: t(id) }))}
      />
      <form id={formId} noValidate autoComplete="off" onSubmit={submitByButton}>
        <FormErrors errors={fieldErrors(errors, t)} attempt={submitCount} refusal={refusal} />
        <div className="grid gap-8 [&>div]:scroll-mt-12">
          <div id="channel-basics">
            <BasicsSection form={form} types={types} isNew={channel === undefined} />
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
  readonly test: () => void
  readonly isTesting: boolean
}

function FormFooter({ channel, formId, isBusy, test, isTesting }: FormFooterProps) {
  const t = useText(sheetText)
  const kit = useText(kitText)
  const place = usePlace()
  const actions = useChannelActions()
  return (
    <>
      {channel && (
        <span className="mr-auto flex gap-2">
          <Button look="danger-text" onClick={() => void actions.remove(channel, place.close)}>
            {t('delete')}
          </Button>
          <Button look="ghost" onClick={() => actions.openTest(channel)}>
            {t('testModels')}
          </Button>
        </span>
      )}
      <span className="flex gap-2">
        <Button isBusy={isTesting} onClick={test}>
          {t('testFirst')}
        </Button>
        <Button onClick={place.close}>{kit('cancel')}</Button>
        <Button type="submit" form={formId} look="primary" isBusy={isBusy} data-shortcut="⌘⏎">
          {channel ? kit('save') : t('create')}
        </Button>
      </span>
    </>
  )
}
