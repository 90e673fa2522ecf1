import { CopyButton } from '../ui/copy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { kitText } from '../ui/kit-text.ts'
import { useText } from '../ui/text.ts'

interface LongTextDialogProps {
  readonly title: string
  readonly text: string
  readonly onClose: () => void
}

/** The whole of a long text, with copy. */
export function LongTextDialog({ title, text, onClose }: LongTextDialogProps) {
  const t = useText(kitText)
  return (
    <Dialog
      title={title}
      width="normal"
      onClose={onClose}
      footer={<CopyButton text={text} label={t('copy')} words={t('copy')} size="normal" />}
    >
      <p className="break-words whitespace-pre-wrap">{text}</p>
    </Dialog>
  )
}
