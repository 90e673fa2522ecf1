import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Wallet } from 'lucide-react'
import { useText } from '../../ui/text.ts'
import { appText } from '../app-text.ts'
import { hasScreen } from '../screens.ts'
import { selfQuery } from '../self.ts'
import { useMoney } from '../use-money.ts'

const LOOK =
  'mx-1 hidden h-8 items-center gap-1.5 rounded-full border border-line px-3 text-small font-medium tabular sm:inline-flex'

/** What is left, always in sight; leads to the wallet where there is one. */
export function BalanceChip() {
  const t = useText(appText)
  const { data: self } = useQuery(selfQuery)
  const { money } = useMoney()
  if (!self) return null
  const amount = money(self.quota)
  const face = (
    <>
      <Wallet size={14} aria-hidden className="text-muted" />
      {amount}
    </>
  )
  if (!hasScreen('/topup')) {
    return (
      <span className={LOOK} title={t('balance')}>
        <span className="sr-only">{t('balance')}</span>
        {face}
      </span>
    )
  }
  return (
    <Link to="/topup" aria-label={t('openWallet', { amount })} className={`${LOOK} hover:bg-hover`}>
      {face}
    </Link>
  )
}
