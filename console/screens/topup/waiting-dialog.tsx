import { useQuery } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { LoadError } from '../../app/load-error.tsx'
import { formatDateTime } from '../../app/time.ts'
import { useMoney } from '../../app/use-money.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { KeyValues } from '../../ui/key-values.tsx'
import { kitText } from '../../ui/kit-text.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { useText } from '../../ui/text.ts'
import { isPaid } from './order-state.ts'
import { paymentQuery } from './queries.ts'
import { text } from './text.ts'

interface WaitingDialogProps {
  readonly tradeNo: string
  readonly onClose: () => void
}

/** Waits until the payment has arrived, then shows the receipt. */
export function WaitingDialog({ tradeNo, onClose }: WaitingDialogProps) {
  const t = useText(text)
  const k = useText(kitText)
  const { money } = useMoney()
  const { data: order, error, refetch } = useQuery(paymentQuery(tradeNo))
  const number = { label: t('orderNumber'), value: <code className="font-mono">{tradeNo}</code> }
  if (order && isPaid(order)) {
    return (
      <Dialog
        title={t('paidTitle')}
        onClose={onClose}
        footer={
          <Button look="primary" onClick={onClose}>
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
