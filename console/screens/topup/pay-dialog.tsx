import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { plainErrorText } from '../../app/call-error.ts'
import { useStatus } from '../../app/status.ts'
import { useMoney } from '../../app/use-money.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { KeyValues } from '../../ui/key-values.tsx'
import { kitText } from '../../ui/kit-text.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useText } from '../../ui/text.ts'
import { amountRules } from './amount.ts'
import { quoteQuery } from './queries.ts'
import { text } from './text.ts'
import type { Purchase } from './use-payment.ts'

interface PayDialogProps {
  readonly purchase: Purchase
  readonly isSending: boolean
  readonly onSend: (purchase: Purchase) => Promise<void>
  readonly onClose: () => void
}

/** What is bought and what it costs, before anything is ordered. */
export function PayDialog({ purchase, isSending, onSend, onClose }: PayDialogProps) {
  const t = useText(text)
  const k = useText(kitText)
  const { money } = useMoney()
  const status = useStatus()
  const [refusal, setRefusal] = useState<string>()
  const quote = useQuery(quoteQuery(purchase.amount))
  const problem = refusal ?? (quote.error ? plainErrorText(quote.error) : undefined)
  const send = () => {
    setRefusal(undefined)
    onSend(purchase).catch((error: unknown) => setRefusal(plainErrorText(error)))
  }
  return (
    <Dialog
      title={t('confirmTitle')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{k('cancel')}</Button>
          <Button look="primary" isBusy={isSending} disabled={!quote.data} onClick={send}>
            {t('confirmPay')}
          </Button>
        </>
      }
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
