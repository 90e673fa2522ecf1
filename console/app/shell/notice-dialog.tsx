import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { kitText } from '../../ui/kit-text.ts'
import { RichText } from '../../ui/rich-text.tsx'
import { useText } from '../../ui/text.ts'
import { appText } from '../app-text.ts'

interface NoticeDialogProps {
  readonly notice: string
  readonly onClose: () => void
}

export function NoticeDialog({ notice, onClose }: NoticeDialogProps) {
  const t = useText(appText)
  const k = useText(kitText)
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
