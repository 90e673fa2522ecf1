import { TelegramWidget } from '../../../app/sign-in/telegram-widget.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { useText } from '../../../ui/text/text.ts'
import { personalText } from './text.ts'

/** Telegram's own button; it leads back here with the account bound. */
export function TelegramDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText(personalText)
  return (
    <Dialog title={t('telegramTitle')} onClose={onClose}>
      <TelegramWidget />
    </Dialog>
  )
}
