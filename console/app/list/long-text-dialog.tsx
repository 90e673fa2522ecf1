import { CopyButton } from '../../ui/buttons/buttons.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { useKitText } from '../../ui/text/kit-text.ts'

interface LongTextDialogProps {
  readonly title: string
  readonly text: string
  readonly onClose: () => void
}

/** The full text, with a copy button. */
export function LongTextDialog({ title, text, onClose }: LongTextDialogProps) {
  const t = useKitText()
  return (
    <Dialog
      title={title}
      width="normal"
      onClose={onClose}
      footer={<CopyButton text={text} label={t('copy')} buttonText={t('copy')} size="normal" />}
    >
      <p className="break-words whitespace-pre-wrap">{text}</p>
    </Dialog>
  )
}
