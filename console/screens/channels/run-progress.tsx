import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { TestProgress } from '#contract/channels.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { useText } from '../../ui/text.ts'
import { toast } from '../../ui/toast.ts'
import { balanceProgressQuery, testProgressQuery } from './over-queries.ts'
import { overText } from './over-text.ts'

/** How far the work on all channels is, while it runs. The list follows. */
export function RunProgress() {
  const { data: tests } = useQuery(testProgressQuery)
  const { data: balances } = useQuery(balanceProgressQuery)
  useEndToast(balances?.is_running ?? false)
  return (
    <>
      {tests && <OneRun progress={tests} words="testingAll" name="testAll" />}
      {balances && <OneRun progress={balances} words="askingBalances" name="balances" />}
    </>
  )
}

/** Says once that a run which was seen running is over. */
function useEndToast(isRunning: boolean): void {
  const t = useText(overText)
  const wasRunning = useRef(false)
  useEffect(() => {
    if (wasRunning.current && !isRunning) toast('success', t('balancesDone'))
    wasRunning.current = isRunning
  }, [isRunning, t])
}

interface OneRunProps {
  readonly progress: TestProgress
  readonly words: 'testingAll' | 'askingBalances'
  readonly name: 'testAll' | 'balances'
}

function OneRun({ progress, words, name }: OneRunProps) {
  const t = useText(overText)
  const { is_running: isRunning, total, done, succeeded, failed } = progress
  if (!isRunning || total === 0) return null
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-card bg-info-bg px-4 py-2.5 text-info">
      <Spinner />
      <span role="status" className="tabular">
        {t(words, { done, total, succeeded, failed })}
      </span>
      <progress
        aria-label={t(name)}
        value={done}
        max={Math.max(total, 1)}
        className="h-1.5 min-w-24 flex-1 overflow-hidden rounded-full bg-surface [&::-webkit-progress-bar]:bg-surface [&::-webkit-progress-value]:bg-info"
      />
    </div>
  )
}
