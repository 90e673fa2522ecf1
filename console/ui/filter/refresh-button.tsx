import { RotateCw } from 'lucide-react'
import { IconButton } from '../icon-button.tsx'
import { kitText } from '../kit-text.ts'
import { useText } from '../text.ts'

interface RefreshButtonProps {
  readonly onRefresh: () => void
  readonly isBusy: boolean
}

export function RefreshButton({ onRefresh, isBusy }: RefreshButtonProps) {
  const t = useText(kitText)
  return <IconButton label={t('refresh')} icon={RotateCw} shortcut="r" isBusy={isBusy} onClick={onRefresh} />
}
