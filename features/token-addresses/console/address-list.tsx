import { useQuery } from '@tanstack/react-query'
import { call } from '#console/app/api/call.ts'
import { LoadError } from '#console/app/api/load-error.tsx'
import { TimeText } from '#console/app/format/format.tsx'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { listTokenAddresses } from '../contract.ts'
import { useAddressText } from './text.ts'

/** From where a token was used, used last first. */
export function AddressList({ id }: { readonly id: number }) {
  const t = useAddressText()
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['token', id, 'addresses'],
    queryFn: ({ signal }) => call(listTokenAddresses, { params: { id }, signal }),
  })
  if (error) return <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />
  if (!data) return <Skeleton className="h-9 w-full" />
  if (data.length === 0) return <p className="text-muted">{t('none')}</p>
  return (
    <ul className="divide-y divide-line">
      {data.map(({ address, first_time, last_time }) => (
        <li key={address} className="flex flex-wrap items-baseline justify-between gap-x-4 py-1.5">
          <code className="font-mono break-all">{address}</code>
          <span className="flex flex-wrap gap-x-4 text-small text-muted">
            <span>
              {t('firstUse')} <TimeText unixSeconds={first_time} />
            </span>
            <span>
              {t('lastUse')} <TimeText unixSeconds={last_time} />
            </span>
          </span>
        </li>
      ))}
    </ul>
  )
}
