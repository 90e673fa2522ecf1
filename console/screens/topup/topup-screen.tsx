import { Suspense } from 'react'
import { lazyPart } from '../../ui/lazy-part.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { useText } from '../../ui/text.ts'
import { BalancePanel } from './balance-panel.tsx'
import { InvitationPanel } from './invitation-panel.tsx'
import { OrdersPanel } from './orders-panel.tsx'
import { PayPanel } from './pay-panel.tsx'
import { RedeemPanel } from './redeem-panel.tsx'
import { text } from './text.ts'
import { usePayment } from './use-payment.ts'

const confirming = lazyPart(async () => (await import('./pay-dialog.tsx')).PayDialog)
const waiting = lazyPart(async () => (await import('./waiting-dialog.tsx')).WaitingDialog)

export function TopupScreen() {
  const t = useText(text)
  const { step, isSending, confirm, send, close } = usePayment()
  return (
    <div className="mx-auto max-w-300">
      <PageHeader title={t('title')} />
      <div className="grid gap-4 lg:grid-cols-12">
        <div className="grid min-w-0 content-start gap-4 lg:col-span-7">
          <BalancePanel />
          <PayPanel onPay={confirm} />
        </div>
        <div className="grid min-w-0 content-start gap-4 lg:col-span-5">
          <RedeemPanel />
          <InvitationPanel />
        </div>
        <div className="min-w-0 lg:col-span-12">
          <OrdersPanel onPay={confirm} />
        </div>
      </div>
      <Suspense fallback={null}>
        {step.is === 'confirming' && (
          <confirming.Part purchase={step.purchase} isSending={isSending} onSend={send} onClose={close} />
        )}
        {step.is === 'waiting' && <waiting.Part tradeNo={step.tradeNo} onClose={close} />}
      </Suspense>
    </div>
  )
}
