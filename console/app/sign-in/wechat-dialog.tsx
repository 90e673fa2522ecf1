import { type FormEvent, useEffect, useId, useState } from 'react'
import { getOauthState } from '#contract/oauth.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { kitText } from '../../ui/kit-text.ts'
import { useText } from '../../ui/text.ts'
import { TextInput } from '../../ui/text-input.tsx'
import { call } from '../call.ts'
import { plainErrorText } from '../call-error.ts'
import { useStatus } from '../status.ts'
import { inviterCode } from './sign-in-methods.ts'
import { waysText } from './ways-text.ts'

interface WechatDialogProps {
  /** Throws what the server refuses: it is shown at the field. */
  readonly onCode: (code: string) => Promise<void>
  readonly onClose: () => void
}

/** The QR code of the account, and the code that it answers with. */
export function WechatDialog({ onCode, onClose }: WechatDialogProps) {
  const t = useText(waysText)
  const k = useText(kitText)
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
      footer={
        <>
          <Button onClick={onClose}>{k('cancel')}</Button>
          <Button type="submit" form={form} look="primary" isBusy={isBusy}>
            {t('wechatSubmit')}
          </Button>
        </>
      }
    >
      <form id={form} noValidate className="grid gap-4" onSubmit={event => void submit(event)}>
        {picture !== '' && (
          <img
            src={picture}
            alt={t('wechatPicture')}
            className="mx-auto size-48 rounded-card border border-line bg-surface object-contain"
          />
        )}
        <p className="text-center text-small text-muted">{t('wechatHelp')}</p>
        <Field label={t('wechatCode')} error={problem}>
          {control => (
            <TextInput
              {...control}
              inputMode="numeric"
              autoComplete="one-time-code"
              value={code}
              onChange={event => setCode(event.target.value)}
            />
          )}
        </Field>
      </form>
    </Dialog>
  )
}

/** The session keeps who invited this visitor, in case that an account is made. */
function tellInviter(): void {
  const aff = inviterCode()
  if (aff !== '') call(getOauthState, { query: { aff } }).catch(() => undefined)
}
