import { useQuery } from '@tanstack/react-query'
import type { LogEntry } from '#contract/logs/logs.ts'
import { plainErrorText } from '../../app/api/call.ts'
import { useIsMasked } from '../../app/preferences/privacy.tsx'
import { formatNumber, maskedMoney, MoneyText } from '../../app/money/money.tsx'
import { useSetSearchParams, useSearchParams } from '../../app/router/search-params.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { KeyValues } from '../../ui/data/facts.tsx'
import { Skeleton } from '../../ui/feedback/progress.tsx'
import { useLanguage, useText } from '../../ui/text/text.ts'
import { exclude, includeOnly } from './exclusions.ts'
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
  const search = useSearchParams(LogSearch)
  const setUrl = useSetSearchParams(LogSearch)
  const { data: user, error } = useQuery(userQuery(entry.user_id))
  const name = useIsMasked() ? maskedMoney() : entry.username
  const narrow = (change: ReturnType<typeof includeOnly>) => {
    setUrl({ ...change, p: undefined })
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
      <div className="flex flex-wrap gap-2">
        <Button size="small" onClick={() => narrow(includeOnly('user', entry.username))}>
          {t('onlyValue', { value: name })}
        </Button>
        <Button size="small" onClick={() => narrow(exclude(search, 'user', entry.username))}>
          {t('allBut', { value: name })}
        </Button>
      </div>
    </div>
  )
}
