import { type FormEvent, useId, useState } from 'react'
import { InputField } from '#console/ui/forms/labelled-inputs.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import { useScreenText } from './text.ts'

const NAME_CHARACTERS_MAX = 60

interface NameDialogProps {
  readonly title: string
  readonly initial: string
  /** Names that exist. Saving under one of them replaces it. */
  readonly taken?: readonly string[]
  readonly onSave: (name: string) => void
  readonly onClose: () => void
}

/** Asks for the name of a conversation or a preset. */
export function NameDialog({ title, initial, taken = [], onSave, onClose }: NameDialogProps) {
  const t = useScreenText()
  const form = useId()
  const [typed, setTyped] = useState(initial)
  const name = typed.trim()
  const isReplacing = taken.includes(name)
  const save = (event: FormEvent) => {
    event.preventDefault()
    if (name === '') return
    onSave(name)
    onClose()
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      confirm={{
        type: 'submit',
        form,
        'aria-disabled': name === '',
        children: t(isReplacing ? 'replace' : 'save'),
      }}
    >
      <form id={form} className="py-2" onSubmit={save}>
        <InputField
          label={t('name')}
          help={isReplacing ? t('replaceHelp', { name }) : undefined}
          autoComplete="off"
          maxLength={NAME_CHARACTERS_MAX}
          value={typed}
          onChange={event => setTyped(event.target.value)}
        />
      </form>
    </Dialog>
  )
}
