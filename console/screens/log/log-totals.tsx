import { useQuery } from '@tanstack/react-query'
import { errorText } from '../../app/call-error.ts'
import { formatNumber } from '../../app/money.ts'
import { useMoney } from '../../app/use-money.ts'
import { StatCard } from '../../ui/stat-card.tsx'
import { useText } from '../../ui/text.ts'
import { type LogView, statQuery } from './queries.ts'
import { text } from './text.ts'

/** The sums of the rows that match. They load by themselves: slow sums never hold up the rows. */
export function LogTotals({ view }: { readonly view: LogView }) {
  const t = useText(text)
  const { money, exact, language } = useMoney()
  const { data: stat, error } = useQuery(statQuery(view))
  const number = (value: number | undefined) =>
    value === undefined ? undefined : formatNumber(value, language)
  const share = stat && (stat.count === 0 ? 0 : (stat.errors / stat.count) * 100)
  if (error && !stat) return <p className="mb-4 text-small text-danger">{errorText(error)}</p>
  return (
    <dl className="mb-4 grid grid-cols-6 gap-2 *:col-span-2 sm:grid-cols-5 sm:gap-3 sm:*:col-span-1 max-sm:[&>:nth-child(-n+2)]:col-span-3">
      <StatCard label={t('usedQuota')} value={stat && money(stat.quota)} hint={stat && exact(stat.quota)} />
      <StatCard label={t('requests')} value={number(stat?.count)} />
      <StatCard
        label={t('errorShare')}
        value={share === undefined ? undefined : `${share.toFixed(share > 0 && share < 10 ? 1 : 0)}%`}
        hint={stat && t('errorsOf', { errors: stat.errors, total: stat.count })}
      />
      <StatCard label="RPM" value={number(stat?.rpm)} hint={t('lastMinute')} />
      <StatCard label="TPM" value={number(stat?.tpm)} hint={t('lastMinute')} />
    </dl>
  )
}
