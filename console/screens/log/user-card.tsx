import { useQuery } from '@tanstack/react-query'
import type { LogEntry } from '#contract/logs.ts'
import { plainErrorText } from '../../app/call-error.ts'
import { formatNumber } from '../../app/money.ts'
import { MoneyText } from '../../app/money-text.tsx'
import { useSetUrlState } from '../../app/url-state.ts'
import { Button } from '../../ui/button.tsx'
import { KeyValues } from '../../ui/key-values.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useLanguage, useText } from '../../ui/text.ts'
import { userQuery } from './queries.ts'
import { LogSearch } from './search.ts'
import { text } from './text.ts'

interface UserCardProps {
  readonly entry: LogEntry
  readonly onClose: () => void
}

/** Who made a request, for administrators. */
export function UserCard({ entry, onClose }: UserCardProps) {
  const t = useText(text)
  const language = useLanguage()
  const setUrl = useSetUrlState(LogSearch)
  const { data: user, error } = useQuery(userQuery(entry.user_id))
  const filter = () => {
    setUrl({ user: entry.username, p: undefined })
    onClose()
  }
  return (
    <div className="grid min-w-56 gap-3 p-3">
      {user ? (
        <KeyValues
          items={[
            { label: t('username'), value: user.username },
            { label: t('balance'), value: <MoneyText quota={user.quota} /> },
            { label: t('usedQuota'), value: <MoneyText quota={user.used_quota} /> },
            { label: t('requestCount'), value: formatNumber(user.request_count, language) },
          ]}
        />
      ) : error ? (
        <p className="text-small text-muted">{plainErrorText(error)}</p>
      ) : (
        <Skeleton className="h-22 w-full" />
      )}
      <Button size="small" className="justify-self-start" onClick={filter}>
        {t('filterUser')}
      </Button>
    </div>
  )
}
