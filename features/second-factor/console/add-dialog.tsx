import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { plainErrorText } from '#console/app/api/call.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { InputField } from '#console/ui/forms/labelled-inputs.tsx'
import { SecretField } from '#console/ui/forms/secret-field.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import { useKitText } from '#console/ui/text/kit-text.ts'
import type { Factor } from '../contract.ts'
import { QrCode } from './qr-code.tsx'
import { createPasskey, fetchNewApp, sendFirstCode } from './queries.ts'
import { useFactorText } from './text.ts'

interface AddDialogProps {
  readonly kind: Factor['kind']
  /** Receives new recovery codes; none where there are some. */
  readonly onDone: (recoveryCodes: readonly string[]) => void
  readonly onClose: () => void
}

/** Asks for a name, then for the passkey, or for the first code of an app. */
export function AddDialog({ kind, onDone, onClose }: AddDialogProps) {
  const t = useFactorText()
  const k = useKitText()
  const form = useId()
  const [name, setName] = useState(t(kind))
  const [code, setCode] = useState('')
  const app = useMutation({ meta: { isQuiet: true }, mutationFn: fetchNewApp })
  const last = useMutation({
    meta: { isQuiet: true },
    mutationFn: async () => (app.data ? (await sendFirstCode(code)).recovery_codes : createPasskey(name)),
    onSuccess: onDone,
  })
  const isNaming = kind === 'totp' && !app.data
  const step = isNaming ? app : last
  const error = step.error ? plainErrorText(step.error) : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isNaming) app.mutate(name)
    else last.mutate()
  }
  return (
    <Dialog
      title={t(kind === 'passkey' ? 'addPasskey' : 'addApp')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{k('cancel')}</Button>
          <Button
            type="submit"
            form={form}
            variant="primary"
            disabled={name.trim() === ''}
            isBusy={step.isPending}
          >
            {t(isNaming ? 'next' : 'add')}
          </Button>
        </>
      }
    >
      <form id={form} noValidate className="grid gap-4" onSubmit={submit}>
        {app.data ? (
          <>
            <p className="text-muted">{t('scan')}</p>
            <QrCode text={app.data.url} label={t('qrCode')} />
            <SecretField secret={app.data.secret} label={t('secret')} />
            <InputField
              label={t('firstCode')}
              error={error}
              isMono
              inputMode="numeric"
              autoComplete="one-time-code"
              value={code}
              onChange={event => setCode(event.target.value)}
            />
          </>
        ) : (
          <InputField
            label={t('name')}
            help={t('nameHelp')}
            error={error}
            maxLength={40}
            value={name}
            onChange={event => setName(event.target.value)}
          />
        )}
      </form>
    </Dialog>
  )
}
