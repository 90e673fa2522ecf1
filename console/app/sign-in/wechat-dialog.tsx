import { type FormEvent, useEffect, useId, useState } from 'react'
import { getOauthState } from '#contract/accounts/oauth.ts'
import { InputField } from '../../ui/forms/labelled-inputs.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { call, plainErrorText } from '../api/call.ts'
import { useStatus } from '../api/status.ts'
import { useProvidersText } from './providers-text.ts'
import { inviterCode } from './sign-in-methods.ts'

interface WechatDialogProps {
  /** Rejects with the server's error, which is shown at the field. */
  readonly onCode: (code: string) => Promise<void>
  readonly onClose: () => void
}

/** Shows the account's QR code and asks for the verification code. */
export function WechatDialog({ onCode, onClose }: WechatDialogProps) {
  const t = useProvidersText()
  const form = useId()
  const { wechat_qrcode: picture } = useStatus()
  const [code, setCode] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  useEffect(tellInviter, [])
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (code.trim() === '') return setProblem(t('wechatCodeNeeded'))
    setBusy(true)
    try {
      await onCode(code.trim())
      onClose()
    } catch (error) {
      setProblem(plainErrorText(error))
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={t('wechatTitle')}
      onClose={onClose}
      confirm={{ type: 'submit', form, isBusy, children: t('wechatSubmit') }}
    >
      <form id={form} noValidate className="grid gap-4" onSubmit={event => void submit(event)}>
        {picture !== '' && (
          <img
            src={picture}
            alt={t('wechatQrCode')}
            className="mx-auto size-48 rounded-card border border-line bg-surface object-contain"
          />
        )}
        <p className="text-center text-small text-muted">{t('wechatHelp')}</p>
        <InputField
          label={t('wechatCode')}
          error={problem}
          inputMode="numeric"
          autoComplete="one-time-code"
          value={code}
          onChange={event => setCode(event.target.value)}
        />
      </form>
    </Dialog>
  )
}

/** Stores the invitation code in the session, in case signing in creates an account. */
function tellInviter(): void {
  const aff = inviterCode()
  if (aff !== '') call(getOauthState, { query: { aff } }).catch(() => undefined)
}
