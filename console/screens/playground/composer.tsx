import { ArrowUp, Square } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { IconButton } from '../../ui/buttons/buttons.tsx'
import { useScreenText } from './text.ts'

interface ComposerProps {
  readonly isBusy: boolean
  readonly onSend: (content: string) => void
  readonly onStop: () => void
}

/** The message input. Enter sends, except during an IME composition; Escape stops a streaming reply. */
export function Composer({ isBusy, onSend, onStop }: ComposerProps) {
  const t = useScreenText()
  const [typed, setTyped] = useState('')
  const send = () => {
    if (isBusy || typed.trim() === '') return
    onSend(typed.trim())
    setTyped('')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && isBusy) onStop()
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <div className="flex items-end gap-2 rounded-dialog border border-line-strong bg-surface p-2 focus-within:border-primary">
      <textarea
        rows={1}
        aria-label={t('message')}
        placeholder={t('placeholder')}
        data-main-search
        autoComplete="off"
        value={typed}
        onChange={event => setTyped(event.target.value)}
        onKeyDown={onKeyDown}
        className="control-text field-sizing-content max-h-50 min-h-9 min-w-0 flex-1 resize-none bg-transparent px-2 py-2 outline-none coarse:min-h-11"
      />
      {isBusy ? (
        <IconButton label={t('stop')} icon={Square} variant="default" shortcut="Esc" onClick={onStop} />
      ) : (
        <IconButton
          label={t('send')}
          icon={ArrowUp}
          variant="primary"
          aria-disabled={typed.trim() === ''}
          onClick={send}
        />
      )}
    </div>
  )
}
