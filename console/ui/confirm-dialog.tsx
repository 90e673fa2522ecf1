import { useRef, useState } from 'react'
import { Button } from './button.tsx'
import type { OpenQuestion } from './confirm.ts'
import { Dialog } from './dialog.tsx'
import { Field } from './field.tsx'
import { kitText } from './kit-text.ts'
import { useText } from './text.ts'
import { TextInput } from './text-input.tsx'

/** Draws the question that `confirm` asked. */
export function ConfirmDialog({ question }: { readonly question: OpenQuestion }) {
  const t = useText(kitText)
  const cancel = useRef<HTMLButtonElement>(null)
  const [typed, setTyped] = useState('')
  const isReady = question.typed === undefined || typed.trim() === question.typed.text
  return (
    <Dialog
      title={question.title}
      onClose={() => question.answer(false)}
      initialFocus={cancel}
      footer={
        <>
          <Button ref={cancel} onClick={() => question.answer(false)}>
            {question.otherwise ?? t('cancel')}
          </Button>
          <Button
            look={question.isDanger ? 'danger' : 'primary'}
            disabled={!isReady}
            onClick={() => question.answer(true)}
          >
            {question.action}
          </Button>
        </>
      }
    >
      {question.text && <p className="text-muted">{question.text}</p>}
      {question.typed && (
        <div className="mt-4">
          <Field label={question.typed.label}>
            {control => (
              <TextInput {...control} value={typed} onChange={event => setTyped(event.target.value)} />
            )}
          </Field>
        </div>
      )}
    </Dialog>
  )
}
