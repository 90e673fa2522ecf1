import { useEffect, useRef, useState } from 'react'
import { InputField } from '../../ui/forms/labelled-inputs.tsx'
import { Button, uncopiedText } from '../buttons/buttons.tsx'
import { TextArea } from '../forms/fields.tsx'
import { useKitText } from '../text/kit-text.ts'
import { Dialog } from './dialog.tsx'
import type { PendingConfirm } from './messages.tsx'

/** Shows the question of `confirm`. */
export function ConfirmDialog({ question }: { readonly question: PendingConfirm }) {
  const t = useKitText()
  const cancel = useRef<HTMLButtonElement>(null)
  const [typed, setTyped] = useState('')
  const isReady = question.typedConfirmation === undefined || typed.trim() === question.typedConfirmation.text
  return (
    <Dialog
      title={question.title}
      onClose={() => question.respond(false)}
      initialFocus={cancel}
      footer={
        <>
          <Button ref={cancel} onClick={() => question.respond(false)}>
            {question.cancelLabel ?? t('cancel')}
          </Button>
          <Button
            variant={question.isDanger ? 'danger' : 'primary'}
            disabled={!isReady}
            onClick={() => question.respond(true)}
          >
            {question.action}
          </Button>
        </>
      }
    >
      {question.text && <p className="text-muted">{question.text}</p>}
      {question.typedConfirmation && (
        <div className="mt-4">
          <InputField
            label={question.typedConfirmation.label}
            value={typed}
            onChange={event => setTyped(event.target.value)}
          />
        </div>
      )}
    </Dialog>
  )
}

/** Shows a text that the browser refused to copy, selected for copying by hand. */
export function UncopiedDialog({ text }: { readonly text: string }) {
  const t = useKitText()
  const field = useRef<HTMLTextAreaElement>(null)
  const close = () => uncopiedText.set(undefined)
  useEffect(() => field.current?.select(), [])
  return (
    <Dialog
      title={t('copyFailed')}
      onClose={close}
      initialFocus={field}
      width="normal"
      footer={<Button onClick={close}>{t('close')}</Button>}
    >
      <p className="mb-3 text-muted">{t('copyFailedHelp')}</p>
      <TextArea
        ref={field}
        readOnly
        isMono
        rows={4}
        value={text}
        aria-label={t('copy')}
        onFocus={event => event.target.select()}
      />
    </Dialog>
  )
}
