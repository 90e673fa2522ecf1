import { Activity, ArrowDownWideNarrow, ListChecks, Route, Trash2, Wallet, Wrench } from 'lucide-react'
import { useSetUrlState, useUrlState } from '../../app/url-state.ts'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/confirm.ts'
import { MenuButton } from '../../ui/menu-button.tsx'
import { useText } from '../../ui/text.ts'
import { toast } from '../../ui/toast.ts'
import { PHONE, useMedia } from '../../ui/use-media.ts'
import { isSortedById, keepIdSort } from './list-state.ts'
import { countDisabled } from './over-queries.ts'
import { overText } from './over-text.ts'
import { useListWrites } from './queries.ts'
import { ChannelSearch } from './search.ts'

interface ListMenuProps {
  readonly isBatch: boolean
  readonly onBatch: (isBatch: boolean) => void
}

/** What is done to all channels at once, and how the list behaves. */
export function ListMenu({ isBatch, onBatch }: ListMenuProps) {
  const t = useText(overText)
  const search = useUrlState(ChannelSearch)
  const setUrl = useSetUrlState(ChannelSearch)
  const { removeDisabled, fix, testAll, askBalances } = useListWrites()
  const isById = isSortedById(search)
  const isPhone = useMedia(PHONE)

  const sortById = () => {
    keepIdSort(!isById)
    setUrl({ idsort: undefined, p: undefined })
  }
  const startTests = async () => {
    const question = { title: t('testAllTitle'), text: t('testAllText'), action: t('testAll') }
    if (!(await confirm(question))) return
    testAll.mutate(undefined, { onSuccess: () => toast('success', t('testAllStarted')) })
  }
  const startBalances = async () => {
    const question = { title: t('balancesTitle'), text: t('balancesText'), action: t('balances') }
    if (!(await confirm(question))) return
    askBalances.mutate(undefined, { onSuccess: () => toast('success', t('balancesStarted')) })
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
        look="default"
        items={[
          ...(isPhone ? [[{ label: t('testAll'), icon: Activity, onSelect: () => void startTests() }]] : []),
          [
            {
              label: t('sortById'),
              icon: ArrowDownWideNarrow,
              isChecked: isById,
              onSelect: sortById,
            },
            { label: t('batch'), icon: ListChecks, isChecked: isBatch, onSelect: () => onBatch(!isBatch) },
          ],
          [
            {
              label: t('previewRoute'),
              icon: Route,
              onSelect: () => setUrl({ preview: '1' }, { push: true }),
            },
          ],
          [
            { label: t('balances'), icon: Wallet, onSelect: () => void startBalances() },
            { label: t('fix'), icon: Wrench, onSelect: () => void fixAll() },
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
