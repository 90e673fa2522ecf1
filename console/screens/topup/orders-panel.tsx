import { useQuery } from '@tanstack/react-query'
import { ReceiptText } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import type { TopUp } from '#contract/top-ups.ts'
import { LoadError } from '../../app/load-error.tsx'
import { MoneyText } from '../../app/money-text.tsx'
import { useStatus } from '../../app/status.ts'
import { keepPageSize, usePageSize } from '../../app/table-state.ts'
import { TimeText } from '../../app/time-text.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Pagination } from '../../ui/pagination.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import type { Column, RowCard } from '../../ui/table/column.ts'
import { DataTable } from '../../ui/table/data-table.tsx'
import { useText } from '../../ui/text.ts'
import { amountRules } from './amount.ts'
import { isPending, statusFace, wayOf } from './order-state.ts'
import { OrderTimeline } from './order-timeline.tsx'
import { ordersQuery } from './queries.ts'
import { text } from './text.ts'
import type { Purchase } from './use-payment.ts'

/** Own orders, each with what happened to it. One that was not paid can be paid without typing again. */
export function OrdersPanel({ onPay }: { readonly onPay: (purchase: Purchase) => void }) {
  const t = useText(text)
  const [page, setPage] = useState(1)
  const size = usePageSize()
  const list = useQuery(ordersQuery(page, size))
  const columns = useOrderColumns()
  const card = useOrderCard()
  const payAgain = usePayAgain(onPay)
  const detail = useCallback((order: TopUp) => <OrderTimeline order={order} />, [])
  const resize = (rows: number) => {
    keepPageSize(rows)
    setPage(1)
  }
  return (
    <section aria-label={t('orders')}>
      <h2 className="mb-3 text-section font-semibold">{t('orders')}</h2>
      {list.error && (
        <LoadError error={list.error} isBusy={list.isFetching} onRetry={() => void list.refetch()} />
      )}
      {(list.data || !list.error) && (
        <DataTable
          label={t('orders')}
          columns={columns}
          rows={list.data?.items}
          rowId={idOf}
          rowName={numberOf}
          card={card}
          actions={payAgain}
          detail={detail}
          skeletonRows={3}
          isRefreshing={list.isPlaceholderData}
          empty={<EmptyState icon={ReceiptText} title={t('ordersEmpty')} text={t('ordersEmptyHelp')} />}
        />
      )}
      {list.data && list.data.total > list.data.items.length && (
        <Pagination
          page={page}
          size={size}
          total={list.data.total}
          shown={list.data.items.length}
          onPage={setPage}
          onSize={resize}
        />
      )}
    </section>
  )
}

const idOf = (order: TopUp): string => String(order.id)
const numberOf = (order: TopUp): string => order.trade_no

function OrderStatus({ order }: { readonly order: TopUp }) {
  const t = useText(text)
  const [word, tone, mark] = statusFace(order)
  return (
    <StatusBadge tone={tone} mark={mark}>
      {t(word, { status: order.status })}
    </StatusBadge>
  )
}

function useMethodName(): (order: TopUp) => string {
  const t = useText(text)
  return useCallback(
    order => {
      const name = wayOf(order.payment_method)?.[1]
      return name ? t(name) : t('otherMethod', { name: order.payment_method })
    },
    [t],
  )
}

function useOrderColumns(): ReadonlyArray<Column<TopUp>> {
  const t = useText(text)
  const methodName = useMethodName()
  return useMemo(
    () => [
      { id: 'time', header: t('time'), cell: order => <TimeText unixSeconds={order.created_at} /> },
      { id: 'status', header: t('status'), cell: order => <OrderStatus order={order} /> },
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
  const t = useText(text)
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

/** The button of an order that waits to be paid. */
function usePayAgain(onPay: (purchase: Purchase) => void) {
  const t = useText(text)
  const status = useStatus()
  const { unitsPerAmount } = amountRules(status)
  const isOpen = status.enable_online_topup
  return useCallback(
    (order: TopUp) => {
      const method = wayOf(order.payment_method)?.[0]
      if (!isOpen || !method || !isPending(order)) return null
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
    [t, isOpen, unitsPerAmount, onPay],
  )
}
