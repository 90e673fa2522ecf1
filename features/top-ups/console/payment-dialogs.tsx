import { useQuery } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { useState } from 'react'
import { plainErrorText } from '#console/app/api/call.ts'
import { LoadError } from '#console/app/api/load-error.tsx'
import { useStatus } from '#console/app/api/status.ts'
import { formatDateTime, useMoney } from '#console/app/format/format.tsx'
import { Button, Spinner } from '#console/ui/buttons/buttons.tsx'
import { KeyValues } from '#console/ui/data/facts.tsx'
import { Banner, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import { useKitText } from '#console/ui/text/kit-text.ts'
import { amountRules } from './amount.ts'
import { isPaid } from './order.ts'

import { type Purchase, paymentQuery, quoteQuery } from './queries.ts'
import { useScreenText } from './text.ts'

interface PayDialogProps {
  readonly purchase: Purchase
  readonly isSending: boolean
  readonly onSend: (purchase: Purchase) => Promise<void>
  readonly onClose: () => void
}

/** Shows the amount and its price before the order is placed. */
export function PayDialog({ purchase, isSending, onSend, onClose }: PayDialogProps) {
  const t = useScreenText()
  const { money } = useMoney()
  const status = useStatus()
  const [payError, setPayError] = useState<string>()
  const quote = useQuery(quoteQuery(purchase.amount))
  const problem = payError ?? (quote.error ? plainErrorText(quote.error) : undefined)
  const send = () => {
    setPayError(undefined)
    onSend(purchase).catch((error: unknown) => setPayError(plainErrorText(error)))
  }
  return (
    <Dialog
      title={t('confirmTitle')}
      onClose={onClose}
      confirm={{ isBusy: isSending, disabled: !quote.data, onClick: send, children: t('confirmPay') }}
    >
      <div className="grid gap-4">
        {problem !== undefined && (
          <Banner tone="danger" isAlert>
            {problem}
          </Banner>
        )}
        <KeyValues
          items={[
            { label: t('confirmAmount'), value: String(purchase.amount) },
            {
              label: t('confirmGets'),
              value: money(purchase.amount * amountRules(status).unitsPerAmount),
            },
            {
              label: t('confirmMoney'),
              value: quote.data ? (
                <span className="text-section font-semibold">¥{quote.data}</span>
              ) : quote.error ? (
                '-'
              ) : (
                <Skeleton className="h-6 w-20" />
              ),
            },
            { label: t('confirmMethod'), value: t(purchase.method === 'zfb' ? 'alipay' : 'wechat') },
          ]}
        />
        <p className="text-caption text-muted">{t('popupHelp')}</p>
      </div>
    </Dialog>
  )
}

interface WaitingDialogProps {
  readonly tradeNo: string
  readonly onClose: () => void
}

/** Waits until the payment has been credited, then shows the receipt. */
export function WaitingDialog({ tradeNo, onClose }: WaitingDialogProps) {
  const t = useScreenText()
  const k = useKitText()
  const { money } = useMoney()
  const { data: order, error, refetch } = useQuery(paymentQuery(tradeNo))
  const number = { label: t('orderNumber'), value: <code className="font-mono">{tradeNo}</code> }
  if (order && isPaid(order)) {
    return (
      <Dialog
        title={t('paidTitle')}
        onClose={onClose}
        footer={
          <Button variant="primary" onClick={onClose}>
            {k('close')}
          </Button>
        }
      >
        <p role="status" className="mb-4 flex items-center gap-2 text-section font-semibold text-success">
          <CircleCheck size={20} aria-hidden />
          {t('paidText', { amount: money(order.quota) })}
        </p>
        <KeyValues
          items={[
            { label: t('money'), value: `¥${order.money}` },
            { label: t('paidAt'), value: formatDateTime(order.completed_at) },
            number,
          ]}
        />
      </Dialog>
    )
  }
  return (
    <Dialog
      title={t('waitingTitle')}
      onClose={onClose}
      footer={<Button onClick={onClose}>{t('waitingLater')}</Button>}
    >
      {error && <LoadError error={error} onRetry={() => void refetch()} />}
      <p className="flex items-start gap-2.5">
        <Spinner />
        {t('waitingText')}
      </p>
      <p className="mt-2 mb-4 text-small text-muted">{t('waitingReopen')}</p>
      <KeyValues items={[number]} />
    </Dialog>
  )
}
