import { type FormEvent, useId, useState } from 'react'
import { plainErrorText } from '#console/app/api/call.ts'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { DISPLAY_NAME_LENGTH_MAX } from '#contract/entities/user-fields.ts'
import { NameField } from './name-field.tsx'
import { useOrganizationChanges } from './queries.ts'
import { useOrganizationText } from './text.ts'
import { useSwitch } from './use-switch.ts'

/** Asks for the name of a new organisation, and acts for it from then on. */
export function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useOrganizationText()
  const form = useId()
  const [name, setName] = useState('')
  const [isTried, setTried] = useState(false)
  const { create } = useOrganizationChanges()
  const choose = useSwitch()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (name.trim() === '' || create.isPending) return
    create.mutate(name.trim(), {
      onSuccess: made => {
        onClose()
        void choose(made)
        toast('success', t('created', { name: made.name }))
      },
    })
  }
  return (
    <Dialog
      title={t('create')}
      onClose={onClose}
      confirm={{ type: 'submit', form, isBusy: create.isPending, children: t('create') }}
    >
      <form id={form} noValidate className="grid gap-4" onSubmit={submit}>
        {create.error && (
          <Banner tone="danger" isAlert>
            {plainErrorText(create.error)}
          </Banner>
        )}
        <p className="text-muted">{t('createText')}</p>
        <NameField
          label={t('name')}
          value={name}
          lengthMax={DISPLAY_NAME_LENGTH_MAX}
          isRequired
          error={isTried && name.trim() === '' ? t('nameNeeded') : undefined}
          onChange={setName}
        />
      </form>
    </Dialog>
  )
}
