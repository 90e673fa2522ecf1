import { Button } from '../../ui/buttons/buttons.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { useKitText } from '../../ui/text/kit-text.ts'
import { RichText } from '../../ui/text/rich-text.tsx'
import { useAppText } from '../app-text.ts'

interface NoticeDialogProps {
  readonly notice: string
  readonly onClose: () => void
}

export function NoticeDialog({ notice, onClose }: NoticeDialogProps) {
  const t = useAppText()
  const k = useKitText()
  return (
    <Dialog
      title={t('announcement')}
      width="normal"
      onClose={onClose}
      footer={<Button onClick={onClose}>{k('close')}</Button>}
    >
      <RichText source={notice} />
    </Dialog>
  )
}
