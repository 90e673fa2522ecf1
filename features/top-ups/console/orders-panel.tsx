import { useQuery } from '@tanstack/react-query'
import { ReceiptText } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import { useStatus } from '#console/app/api/status.ts'
import { MoneyText, TimeText, useMoney } from '#console/app/format/format.tsx'
import { ListSection, usePages } from '#console/app/list/list-section.tsx'
import { Button, CopyButton } from '#console/ui/buttons/buttons.tsx'
import { StatusBadge } from '#console/ui/data/badges.tsx'
import { type Column, type RowCard, STATUS_WIDTH } from '#console/ui/data/table/column.ts'
import { EmptyState } from '#console/ui/feedback/feedback.tsx'
import type { TopUp, TopUpEvent } from '../contract.ts'
import { amountRules } from './amount.ts'
import { eventKey, isPending, orderBadge, paymentMethod } from './order.ts'

import { ordersQuery, type Purchase } from './queries.ts'
import { useScreenText } from './text.ts'

/** Own orders with their timelines. A pending order can be paid again without retyping the amount. */
export function OrdersPanel({ onPay }: { readonly onPay: (purchase: Purchase) => void }) {
  const t = useScreenText()
  const pages = usePages()
  const query = useQuery(ordersQuery(pages.page, pages.size))
  const columns = useOrderColumns()
  const card = useOrderCard()
  const payAgain = usePayAgain(onPay)
  const detail = useCallback((order: TopUp) => <OrderTimeline order={order} />, [])
  return (
    <ListSection
      label={t('orders')}
      heading={<h2 className="text-section font-semibold">{t('orders')}</h2>}
      pages={pages}
      query={query}
      columns={columns}
      rowId={rowId}
      rowName={rowName}
      card={card}
      actions={payAgain}
      detail={detail}
      empty={<EmptyState icon={ReceiptText} title={t('ordersEmpty')} text={t('ordersEmptyHelp')} />}
    />
  )
}

const rowId = (order: TopUp): string => String(order.id)
const rowName = (order: TopUp): string => order.trade_no

function OrderStatus({ order }: { readonly order: TopUp }) {
  const t = useScreenText()
  const [key, tone, mark] = orderBadge(order)
  return (
    <StatusBadge tone={tone} mark={mark}>
      {t(key, { status: order.status })}
    </StatusBadge>
  )
}

function useMethodName(): (order: TopUp) => string {
  const t = useScreenText()
  return useCallback(
    order => {
      const name = paymentMethod(order.payment_method)?.[1]
      return name ? t(name) : t('otherMethod', { name: order.payment_method })
    },
    [t],
  )
}

function useOrderColumns(): ReadonlyArray<Column<TopUp>> {
  const t = useScreenText()
  const methodName = useMethodName()
  return useMemo(
    () => [
      { id: 'time', header: t('time'), cell: order => <TimeText unixSeconds={order.created_at} /> },
      {
        id: 'status',
        header: t('status'),
        width: STATUS_WIDTH,
        cell: order => <OrderStatus order={order} />,
      },
      {
        id: 'quota',
        header: t('quota'),
        align: 'end',
        cell: order => <MoneyText quota={order.quota} />,
      },
      { id: 'money', header: t('money'), align: 'end', cell: order => `¥${order.money}` },
      { id: 'method', header: t('method'), cell: methodName },
      {
        id: 'number',
        header: t('orderNumber'),
        cell: order => (
          <span className="flex items-center gap-1 font-mono text-caption">
            {order.trade_no}
            <CopyButton text={order.trade_no} label={t('copyNumber', { name: order.trade_no })} />
          </span>
        ),
      },
    ],
    [t, methodName],
  )
}

function useOrderCard(): RowCard<TopUp> {
  const t = useScreenText()
  const methodName = useMethodName()
  return useMemo(
    () => ({
      title: order => <TimeText unixSeconds={order.created_at} />,
      subtitle: order => order.trade_no,
      status: order => <OrderStatus order={order} />,
      facts: order => [
        { label: t('quota'), value: <MoneyText quota={order.quota} /> },
        { label: t('money'), value: `¥${order.money}` },
        { label: t('method'), value: methodName(order) },
      ],
    }),
    [t, methodName],
  )
}

/** The button that pays a pending order again. */
function usePayAgain(onPay: (purchase: Purchase) => void) {
  const t = useScreenText()
  const status = useStatus()
  const { unitsPerAmount } = amountRules(status)
  const isEnabled = status.enable_online_topup
  return useCallback(
    (order: TopUp) => {
      const method = paymentMethod(order.payment_method)?.[0]
      if (!isEnabled || !method || !isPending(order)) return null
      return (
        <Button
          size="small"
          aria-label={t('payAgainNamed', { name: order.trade_no })}
          onClick={() => onPay({ amount: Math.round(order.quota / unitsPerAmount), method })}
        >
          {t('payAgain')}
        </Button>
      )
    },
    [t, isEnabled, unitsPerAmount, onPay],
  )
}

/** The timeline of an order. */
function OrderTimeline({ order }: { readonly order: TopUp }) {
  const t = useScreenText()
  const detailText = useEventDetail()
  return (
    <ol aria-label={t('timeline')} className="grid gap-0 px-4 py-3 text-small max-sm:px-0">
      {order.timeline.map((step, index) => {
        const { at, event } = step
        const key = eventKey(event)
        return (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: events have no id, and their order never changes
            key={index}
            className="relative grid gap-x-4 border-l border-line-strong pb-3 pl-4 last:pb-0 sm:grid-cols-[10rem_8rem_1fr]"
          >
            <span aria-hidden className="absolute top-1.5 -left-1 size-2 rounded-full bg-primary" />
            <span className="text-muted">
              <TimeText unixSeconds={at} />
            </span>
            <span className="font-medium">{key ? t(key) : event}</span>
            <span className="min-w-0 text-muted [overflow-wrap:anywhere]">{detailText(step)}</span>
          </li>
        )
      })}
    </ol>
  )
}

/** The detail of a timeline event, formatted where the event is known. */
function useEventDetail(): (step: TopUpEvent) => string {
  const t = useScreenText()
  const { money } = useMoney()
  const formatters: Readonly<Record<string, (detail: string) => string>> = {
    created: detail => `¥${detail}`,
    credited: detail => money(Number(detail)),
    signature: detail => t(detail === 'right' ? 'signatureRight' : 'signatureWrong'),
    sent: detail => {
      const method = paymentMethod(detail)?.[1]
      return method ? t(method) : detail
    },
  }
  return ({ event, detail }) => formatters[event]?.(detail) ?? detail
}
