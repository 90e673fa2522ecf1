import { useQuery } from '@tanstack/react-query'
import { listUnnamedProxies } from '#contract/options/unnamed-proxies.ts'
import { CopyButton } from '../../ui/buttons/buttons.tsx'
import { Banner } from '../../ui/feedback/feedback.tsx'
import { call } from '../api/call.ts'
import { takeFromStart } from '../api/start.ts'
import { useAppText } from '../app-text.ts'
import { useDismissed } from '../preferences/dismissed.ts'
import { hasRole, useUser } from '../session/session.ts'

const STALE_AFTER_MS = 30 * 60_000

/** Warns the super administrator of a proxy that `TRUSTED_PROXIES` does not name: all visitors share its address. */
export function UnnamedProxyBanner() {
  const t = useAppText()
  const user = useUser()
  const { data: addresses = [] } = useQuery({
    queryKey: ['unnamed-proxies'],
    queryFn: async ({ signal }) =>
      (await takeFromStart('unnamed_proxies')) ?? call(listUnnamedProxies, { signal }),
    enabled: hasRole(user, 'root'),
    staleTime: STALE_AFTER_MS,
  })
  const list = addresses.join(',')
  const [isDismissed, setDismissed] = useDismissed(`unnamed-proxies ${list}`)
  if (addresses.length === 0 || isDismissed) return null
  const setting = `TRUSTED_PROXIES=${list}`
  return (
    <div className="px-3 pt-3 sm:px-4 lg:px-6">
      <Banner
        tone="warning"
        action={
          <CopyButton text={setting} label={t('copySetting', { setting })} buttonText={t('copyLine')} />
        }
        onClose={() => setDismissed(true)}
      >
        <p>{t('unnamedProxy', { addresses: addresses.join(', ') })}</p>
        <p className="mt-1">
          {t('nameProxy')} <code className="font-mono text-small break-all">{setting}</code>
        </p>
      </Banner>
    </div>
  )
}
