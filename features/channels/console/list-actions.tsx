import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Activity, ArrowDownWideNarrow, Key, ListChecks, RotateCw, Route, Trash2, Wallet } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { hasScreen } from '#console/app/router/screens.ts'
import { useSearchParams, useSetSearchParams } from '#console/app/router/search-params.ts'
import { Button, Spinner } from '#console/ui/buttons/buttons.tsx'
import { MenuButton } from '#console/ui/buttons/popup-buttons.tsx'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import { PHONE, useMedia } from '#console/ui/use-media.ts'
import type { ChannelRunProgress } from '../contract/channels.ts'
import { balanceProgressQuery, countDisabled, testProgressQuery, useListMutations } from './queries.ts'
import { ChannelSearch, isSortedById, saveIdSort } from './search-params.ts'
import { useScreenText } from './text.ts'

interface ListMenuProps {
  readonly isBatch: boolean
  readonly onBatch: (isBatch: boolean) => void
}

/** The actions on all channels, and the settings of the list. */
export function ListMenu({ isBatch, onBatch }: ListMenuProps) {
  const t = useScreenText()
  const setUrl = useSetSearchParams(ChannelSearch)
  const { removeDisabled, fix, testAll, queryBalances } = useListMutations()
  const isById = isSortedById(useSearchParams(ChannelSearch))
  const isPhone = useMedia(PHONE)
  const navigate = useNavigate()
  const byKeys = { label: t('addByKeys'), icon: Key, onSelect: () => void navigate({ to: '/channel-keys' }) }

  const sortById = () => {
    saveIdSort(!isById)
    setUrl({ idsort: undefined, p: undefined })
  }
  const startTests = async () => {
    const question = { title: t('testAllTitle'), text: t('testAllText'), action: t('testAll') }
    if (!(await confirm(question))) return
    testAll.mutate(undefined, { onSuccess: () => toast('success', t('testAllStarted')) })
  }
  const startBalances = async () => {
    if (!(await confirm({ title: t('balancesTitle'), text: t('balancesText'), action: t('balances') })))
      return
    queryBalances.mutate(undefined, { onSuccess: () => toast('success', t('balancesStarted')) })
  }
  const removeAllDisabled = async () => {
    const count = await countDisabled().catch(() => undefined)
    if (count === 0) return toast('info', t('noneDisabled'))
    const title = count === undefined ? t('deleteDisabledTitle') : t('deleteDisabledCount', { count })
    if (!(await confirm({ title, text: t('deleteManyText'), action: t('delete'), isDanger: true }))) return
    removeDisabled.mutate(undefined, {
      onSuccess: count => toast('success', t('deletedDisabled', { count })),
    })
  }
  const fixAll = async () => {
    if (!(await confirm({ title: t('fixTitle'), text: t('fixText'), action: t('fix') }))) return
    fix.mutate(undefined, { onSuccess: count => toast('success', t('fixed', { count })) })
  }

  return (
    <>
      {!isPhone && (
        <Button icon={Activity} isBusy={testAll.isPending} onClick={() => void startTests()}>
          {t('testAll')}
        </Button>
      )}
      <MenuButton
        label={t('moreForAll')}
        variant="default"
        items={[
          ...(isPhone ? [[{ label: t('testAll'), icon: Activity, onSelect: () => void startTests() }]] : []),
          [
            { label: t('sortById'), icon: ArrowDownWideNarrow, isChecked: isById, onSelect: sortById },
            { label: t('batch'), icon: ListChecks, isChecked: isBatch, onSelect: () => onBatch(!isBatch) },
          ],
          [
            {
              label: t('previewRoute'),
              icon: Route,
              onSelect: () => setUrl({ preview: '1' }, { push: true }),
            },
            ...(hasScreen('/channel-keys') ? [byKeys] : []),
          ],
          [
            { label: t('balances'), icon: Wallet, onSelect: () => void startBalances() },
            { label: t('fix'), icon: RotateCw, onSelect: () => void fixAll() },
          ],
          [
            {
              label: t('deleteDisabled'),
              icon: Trash2,
              isDanger: true,
              onSelect: () => void removeAllDisabled(),
            },
          ],
        ]}
      />
    </>
  )
}

/** The progress of the background runs over all channels: tests and balances. */
export function RunProgressBanners() {
  const { data: tests } = useQuery(testProgressQuery)
  const { data: balances } = useQuery(balanceProgressQuery)
  useFinishedToast(balances?.is_running ?? false)
  return (
    <>
      {tests && <ProgressLine progress={tests} words="testingAll" name="testAll" />}
      {balances && <ProgressLine progress={balances} words="updatingBalances" name="balances" />}
    </>
  )
}

/** Shows a toast when the update of balances finishes while the page is open. */
function useFinishedToast(isRunning: boolean): void {
  const t = useScreenText()
  const wasRunning = useRef(false)
  useEffect(() => {
    if (wasRunning.current && !isRunning) toast('success', t('balancesDone'))
    wasRunning.current = isRunning
  }, [isRunning, t])
}

interface ProgressLineProps {
  readonly progress: ChannelRunProgress
  readonly words: 'testingAll' | 'updatingBalances'
  readonly name: 'testAll' | 'balances'
}

function ProgressLine({ progress, words, name }: ProgressLineProps) {
  const t = useScreenText()
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
