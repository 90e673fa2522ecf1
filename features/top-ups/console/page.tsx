import { Suspense } from 'react'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { PageHeader } from '#console/ui/text/page-header.tsx'
import { BalancePanel } from './balance-panel.tsx'
import { Invitation } from './invitation/invitation.tsx'
import { OrdersPanel } from './orders-panel.tsx'
import { Panel } from './panel.tsx'
import { usePayment } from './payment.ts'
import { PlansPanel } from './plans-panel.tsx'
import { useScreenText } from './text.ts'
import { PayPanel, RedeemPanel } from './top-up-panels.tsx'

const payDialog = lazyPart(async () => (await import('./payment-dialogs.tsx')).PayDialog)
const waitingDialog = lazyPart(async () => (await import('./payment-dialogs.tsx')).WaitingDialog)

export function TopupPage() {
  const t = useScreenText()
  const { step, isSending, confirm, send, close } = usePayment()
  return (
    <div className="mx-auto max-w-300">
      <PageHeader title={t('title')} />
      <div className="grid gap-4 lg:grid-cols-12">
        <div className="grid min-w-0 content-start gap-4 lg:col-span-7">
          <BalancePanel />
          <PlansPanel />
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
        {step.state === 'confirming' && (
          <payDialog.Part purchase={step.purchase} isSending={isSending} onSend={send} onClose={close} />
        )}
        {step.state === 'waiting' && <waitingDialog.Part tradeNo={step.tradeNo} onClose={close} />}
      </Suspense>
    </div>
  )
}

/** The invitation link of the user and the rewards that it has earned. */
function InvitationPanel() {
  const t = useScreenText()
  return (
    <Panel title={t('invite')}>
      <Invitation />
    </Panel>
  )
}
