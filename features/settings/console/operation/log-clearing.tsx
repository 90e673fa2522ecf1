import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import { plainErrorText } from '#console/app/api/call.ts'
import { formatDateTime, formatNumber, nowSeconds, parseDateTime } from '#console/app/format/format.tsx'
import { DateTimeInput } from '#console/app/time/date-time-input.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { ProgressBar } from '#console/ui/feedback/feedback.tsx'
import { Field } from '#console/ui/forms/fields.tsx'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import { logDeletionQuery, startLogDeletion } from './queries.ts'
import { useOperationText } from './text.ts'

const MONTH = 30 * 86_400
const DATE_LENGTH = 10

/** Deletes log rows before a time, after the date was typed to confirm, and shows the progress. */
export function LogCleanup() {
  const t = useOperationText()
  const client = useQueryClient()
  const [typed, setTyped] = useState(() => formatDateTime(nowSeconds() - MONTH))
  const [problem, setProblem] = useState<'clearNeeded' | 'clearBad'>()
  const { data: progress } = useQuery(logDeletionQuery)
  const [isWatching, setWatching] = useState(false)
  useReportEnd(
    isWatching,
    useCallback(() => setWatching(false), []),
  )
  const isRunning = progress?.is_running ?? false

  const clear = async () => {
    const before = parseDateTime(typed)
    setProblem(typed.trim() === '' ? 'clearNeeded' : before === undefined ? 'clearBad' : undefined)
    if (before === undefined) return
    const time = formatDateTime(before)
    const date = time.slice(0, DATE_LENGTH)
    const isSure = await confirm({
      title: t('clearQuestion', { time }),
      text: t('clearConsequence'),
      action: t('clear'),
      isDanger: true,
      typedConfirmation: { text: date, label: t('clearTyped', { date }) },
    })
    if (!isSure) return
    try {
      await startLogDeletion(before)
      await client.invalidateQueries({ queryKey: logDeletionQuery.queryKey })
      setWatching(true)
    } catch (error) {
      toast('error', t('clearFailed', { reason: plainErrorText(error) }))
    }
  }

  return (
    <div className="grid gap-3 border-t border-line pt-5">
      <div>
        <h3 className="font-medium">{t('clearTitle')}</h3>
        <p className="text-caption text-muted">{t('clearHelp')}</p>
      </div>
      <div className="flex flex-wrap items-start gap-3">
        <div className="w-full sm:w-72">
          <Field label={t('clearBefore')} error={problem && t(problem)}>
            {control => <DateTimeInput {...control} value={typed} onChange={setTyped} />}
          </Field>
        </div>
        <Button
          variant="danger-text"
          icon={Trash2}
          isBusy={isRunning}
          className="sm:mt-6.5"
          onClick={() => void clear()}
        >
          {t('clear')}
        </Button>
      </div>
      {progress && isRunning && <CleanupProgress deleted={progress.deleted} total={progress.total} />}
    </div>
  )
}

function CleanupProgress({ deleted, total }: { readonly deleted: number; readonly total: number }) {
  const t = useOperationText()
  const language = useLanguage()
  const words = t('clearing', {
    deleted: formatNumber(deleted, language),
    total: formatNumber(total, language),
  })
  return (
    <div role="status" className="grid gap-1 text-small">
      <p className="tabular">{words}</p>
      <ProgressBar
        label={t('clearTitle')}
        share={total === 0 ? 0 : Math.min(deleted / total, 1)}
        text={words}
      />
    </div>
  )
}

/** Reports the outcome of a cleanup that was started here. */
function useReportEnd(isWatching: boolean, onEnd: () => void): void {
  const t = useOperationText()
  const { data: progress, isFetching } = useQuery(logDeletionQuery)
  const isOver = isWatching && !isFetching && progress?.is_running === false
  const { has_failed: hasFailed = false, deleted = 0 } = progress ?? {}
  useEffect(() => {
    if (!isOver) return
    toast(hasFailed ? 'warning' : 'success', t(hasFailed ? 'clearStopped' : 'cleared', { count: deleted }))
    onEnd()
  }, [isOver, hasFailed, deleted, onEnd, t])
}
