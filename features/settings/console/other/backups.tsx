import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { plainErrorText } from '#console/app/api/call.ts'
import { formatDateTime, formatNumber } from '#console/app/format/format.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { KeyValues } from '#console/ui/data/facts.tsx'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import type { BackupState } from '#features/backups/contract.ts'
import { SettingSection } from '../layout.tsx'
import { backupsQuery, startBackup } from './queries.ts'
import { useOtherText } from './text.ts'

const SHOWN = 5
const MIB = 2 ** 20

/** The backups in BACKUP_DIR, and a button that makes one. */
export function BackupCard() {
  const t = useOtherText()
  const { data: state } = useQuery(backupsQuery)
  useReportEnd(state)
  return (
    <SettingSection id="backups" title={t('backups')} help={t('backupsHelp')}>
      {state &&
        (state.is_configured ? (
          <BackupList state={state} />
        ) : (
          <p className="text-small">{t('backupsOff')}</p>
        ))}
    </SettingSection>
  )
}

function BackupList({ state }: { readonly state: BackupState }) {
  const t = useOtherText()
  const language = useLanguage()
  const client = useQueryClient()
  const start = async () => {
    try {
      client.setQueryData(backupsQuery.queryKey, await startBackup())
    } catch (error) {
      toast('error', plainErrorText(error))
    }
  }
  const size = (bytes: number) => `${formatNumber(Math.ceil((bytes / MIB) * 10) / 10, language)} MiB`
  return (
    <>
      <p className="text-small">{t('backupsPlan', { hours: state.interval_hours, keep: state.keep })}</p>
      {state.failure !== '' && (
        <Banner tone="danger" isAlert>
          {t('backupFailed', { reason: state.failure })}
        </Banner>
      )}
      {state.backups.length > 0 ? (
        <KeyValues
          items={state.backups
            .slice(0, SHOWN)
            .map(({ bytes, created_at }) => ({ label: formatDateTime(created_at), value: size(bytes) }))}
        />
      ) : (
        <p className="text-small text-muted">{t('noBackups')}</p>
      )}
      <Button className="justify-self-start" isBusy={state.is_running} onClick={() => void start()}>
        {t('backUp')}
      </Button>
    </>
  )
}

/** Reports the end of a backup that was seen while it ran. */
function useReportEnd(state: BackupState | undefined): void {
  const t = useOtherText()
  const wasRunning = useRef(false)
  useEffect(() => {
    if (!state) return
    if (wasRunning.current && !state.is_running && state.failure === '') toast('success', t('backedUp'))
    wasRunning.current = state.is_running
  }, [state, t])
}
