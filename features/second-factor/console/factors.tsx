import { useQuery } from '@tanstack/react-query'
import { KeyRound, Smartphone } from 'lucide-react'
import { Suspense, useState } from 'react'
import { LoadError } from '#console/app/api/load-error.tsx'
import { TimeText } from '#console/app/format/format.tsx'
import { ensureRecentSignIn } from '#console/app/session/reauthentication.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { Banner, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { lazyPart } from '#console/ui/lazy-part.ts'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import type { Factor } from '../contract.ts'
import { factorsQuery, useFactorChanges } from './queries.ts'
import { useFactorText } from './text.ts'

const addDialog = lazyPart(async () => (await import('./add-dialog.tsx')).AddDialog)
const codesDialog = lazyPart(async () => (await import('./codes-dialog.tsx')).CodesDialog)

/** Passkeys, authenticator apps and recovery codes of the reader. */
export function Factors() {
  const t = useFactorText()
  const { data, error, isFetching, refetch } = useQuery(factorsQuery)
  const { refresh, remove, newCodes } = useFactorChanges()
  const [adding, setAdding] = useState<Factor['kind']>()
  const [codes, setCodes] = useState<readonly string[]>([])
  if (error) return <LoadError error={error} isBusy={isFetching} onRetry={() => void refetch()} />
  if (!data) return <Skeleton className="h-24 w-full" />
  const { factors, recovery_codes_left: count, is_passkey_ready: isPasskeyReady } = data
  const add = async (kind: Factor['kind']) => (await ensureRecentSignIn()) && setAdding(kind)
  const finish = (recoveryCodes: readonly string[]) => {
    setAdding(undefined)
    setCodes(recoveryCodes)
    // The dialog with the codes says it, too, and on phones a toast would cover its buttons.
    if (recoveryCodes.length === 0) toast('success', t('added'))
    void refresh()
  }
  const askToRemove = async ({ id, name }: Factor) => {
    const text = t(factors.length === 1 ? 'removeLast' : 'removeText')
    if (await confirm({ title: t('removeTitle', { name }), text, action: t('remove'), isDanger: true }))
      remove.mutate(id, { onSuccess: () => toast('success', t('removed')) })
  }
  const replaceCodes = async () => {
    const question = { title: t('newCodesTitle'), text: t('newCodesText'), action: t('newCodes') }
    if (await confirm(question)) newCodes.mutate(undefined, { onSuccess: setCodes })
  }
  return (
    <>
      <p className="text-small text-muted">{t('help')}</p>
      {factors.length > 0 && (
        <ul className="divide-y divide-line rounded-card border border-line">
          {factors.map(factor => (
            <FactorItem
              key={factor.id}
              factor={factor}
              isBusy={remove.isPending}
              onRemove={() => void askToRemove(factor)}
            />
          ))}
        </ul>
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          icon={KeyRound}
          disabled={!isPasskeyReady}
          title={isPasskeyReady ? undefined : t('noAddress')}
          onClick={() => void add('passkey')}
        >
          {t('addPasskey')}
        </Button>
        <Button icon={Smartphone} onClick={() => void add('totp')}>
          {t('addApp')}
        </Button>
      </div>
      {factors.length > 0 && (
        <div className="flex flex-wrap items-center justify-between gap-2">
          <p className="text-small text-muted">{t('codesLeft', { count })}</p>
          <Button size="small" isBusy={newCodes.isPending} onClick={() => void replaceCodes()}>
            {t('newCodes')}
          </Button>
        </div>
      )}
      {factors.length > 0 && count === 0 && <Banner tone="warning">{t('noCodes')}</Banner>}
      <Suspense fallback={null}>
        {adding && <addDialog.Part kind={adding} onDone={finish} onClose={() => setAdding(undefined)} />}
        {codes.length > 0 && <codesDialog.Part codes={codes} onClose={() => setCodes([])} />}
      </Suspense>
    </>
  )
}

interface FactorItemProps {
  readonly factor: Factor
  readonly isBusy: boolean
  readonly onRemove: () => void
}

function FactorItem({ factor: { kind, name, created_time, used_time }, isBusy, onRemove }: FactorItemProps) {
  const t = useFactorText()
  const Icon = kind === 'passkey' ? KeyRound : Smartphone
  return (
    <li className="flex items-center gap-3 px-3 py-2.5">
      <Icon size={18} aria-hidden className="shrink-0 text-muted" />
      <div className="grid min-w-0 flex-1 gap-0.5">
        <span className="truncate font-medium">{name}</span>
        <span className="text-small text-muted">
          {t(kind)} · {t(used_time > 0 ? 'usedAt' : 'addedAt')}{' '}
          <TimeText unixSeconds={used_time || created_time} />
        </span>
      </div>
      <Button
        size="small"
        variant="danger-text"
        aria-label={t('removeNamed', { name })}
        isBusy={isBusy}
        onClick={onRemove}
      >
        {t('remove')}
      </Button>
    </li>
  )
}
