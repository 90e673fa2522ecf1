import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { formatNumber, MoneyText, TimeText } from '#console/app/format/format.tsx'
import type { Column, RowCard } from '#console/ui/data/table/column.ts'
import { useLanguage } from '#console/ui/text/text.ts'
import type { BalanceTransaction } from '../contract.ts'
import { dayOf } from './period.ts'
import { useScreenText } from './text.ts'

const LAST_SECOND_OF_DAY = 86_399

interface TransactionProps {
  readonly transaction: BalanceTransaction
}

interface DetailProps extends TransactionProps {
  /** The user whose log rows are shown; undefined where the log shows no others. */
  readonly username: string | undefined
}

function TimeCell({ transaction: { kind, created_at } }: TransactionProps) {
  return kind === 'charge' ? (
    <span className="tabular">{dayOf(created_at)}</span>
  ) : (
    <TimeText unixSeconds={created_at} />
  )
}

/** The number of requests as a link to their log rows, or the reason. */
function DetailCell({ transaction: { kind, created_at, requests, detail }, username }: DetailProps) {
  const t = useScreenText()
  const language = useLanguage()
  if (kind !== 'charge') return <span className="break-words text-muted">{detail}</span>
  return (
    <Link
      to="/log"
      search={{
        from: String(created_at),
        to: String(created_at + LAST_SECOND_OF_DAY),
        ...(username !== undefined && { user: username }),
      }}
      aria-label={t('openLog', { day: dayOf(created_at) })}
      className="rounded-control text-muted underline-offset-2 hover:text-accent hover:underline"
    >
      {t('requestCount', { count: formatNumber(requests, language) })}
    </Link>
  )
}

/** The columns of the statement, headed in the current language. */
export function useTransactionColumns(
  username: string | undefined,
): ReadonlyArray<Column<BalanceTransaction>> {
  const t = useScreenText()
  return useMemo(
    () => [
      {
        id: 'time',
        header: t('time'),
        isFixed: true,
        cell: transaction => <TimeCell transaction={transaction} />,
      },
      { id: 'kind', header: t('kind'), cell: ({ kind }) => t(kind) },
      {
        id: 'detail',
        header: t('detail'),
        cell: transaction => <DetailCell transaction={transaction} username={username} />,
      },
      { id: 'amount', header: t('amount'), align: 'end', cell: ({ amount }) => <MoneyText quota={amount} /> },
      {
        id: 'balance',
        header: t('balance'),
        align: 'end',
        cell: ({ balance }) => <MoneyText quota={balance} />,
      },
    ],
    [t, username],
  )
}

/** A transaction as a card, for narrow screens. */
export function useTransactionCard(username: string | undefined): RowCard<BalanceTransaction> {
  const t = useScreenText()
  return useMemo(
    () => ({
      title: transaction => t(transaction.kind),
      subtitle: transaction => <DetailCell transaction={transaction} username={username} />,
      status: ({ amount }) => <MoneyText quota={amount} />,
      facts: transaction => [
        { label: t('time'), value: <TimeCell transaction={transaction} /> },
        { label: t('balance'), value: <MoneyText quota={transaction.balance} /> },
      ],
    }),
    [t, username],
  )
}
